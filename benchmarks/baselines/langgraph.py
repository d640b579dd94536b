"""LangGraph's ``SqliteSaver``: one checkpoint per save, the document as its only channel value.

The saver asks for WAL when it sets itself up; the common journal mode is set after that.
"""

from __future__ import annotations

import sqlite3
from importlib import import_module
from pathlib import Path
from typing import Any


class LangGraph:
    def __init__(self, folder: Path, journal_mode: str) -> None:
        saver: Any = import_module("langgraph.checkpoint.sqlite").SqliteSaver
        self._empty: Any = import_module("langgraph.checkpoint.base").empty_checkpoint
        self._connection = sqlite3.connect(folder / "langgraph.sqlite", check_same_thread=False)
        self._saver: Any = saver(self._connection)
        self._saver.setup()
        self._connection.execute(f"PRAGMA journal_mode = {journal_mode}")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._configs: dict[str, Any] = {}
        self._step = 0

    def save(self, session_id: str, document: dict[str, Any]) -> Any:
        self._step += 1
        checkpoint = self._empty()
        checkpoint["channel_values"] = {"workflow": document}
        checkpoint["channel_versions"] = {"workflow": self._step}
        parent = self._configs.get(session_id) or {
            "configurable": {"thread_id": session_id, "checkpoint_ns": ""}
        }
        config = self._saver.put(
            parent,
            checkpoint,
            {"source": "loop", "step": self._step, "parents": {}},
            {"workflow": self._step},
        )
        self._configs[session_id] = config
        return config

    def restore(self, key: Any) -> Any:
        return self._saver.get_tuple(key).checkpoint["channel_values"]["workflow"]

    def close(self) -> None:
        self._connection.close()
