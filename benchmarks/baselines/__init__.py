"""The stores casstore is measured against, each behind the same three calls.

Every one is durable on return and, where it is SQLite, uses the journal mode casstore chose. A
baseline whose library is not installed is left out and reported, never replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from benchmarks.baselines import alchemy, casstore_store, disk_cache, git, langgraph, table

CASSTORE = "casstore"
TABLE = "plain table"
SQLALCHEMY = "SQLAlchemy"
LANGGRAPH = "LangGraph"
DISKCACHE = "diskcache"
GIT = "git"
IN_PROCESS = (CASSTORE, TABLE, SQLALCHEMY, LANGGRAPH, DISKCACHE)


class Contestant(Protocol):
    """A store under measurement, already open."""

    def save(self, session_id: str, document: dict[str, Any]) -> Any:
        """Keep the document durably; what is returned finds it again."""

    def restore(self, key: Any) -> Any:
        """The document that ``save`` returned ``key`` for, as a fresh value."""

    def close(self) -> None:
        """Let go of files and connections."""


_OPENERS: dict[str, Callable[[Path, str], Contestant]] = {
    CASSTORE: casstore_store.Casstore,
    TABLE: table.PlainTable,
    SQLALCHEMY: alchemy.Alchemy,
    LANGGRAPH: langgraph.LangGraph,
    DISKCACHE: disk_cache.DiskCache,
    GIT: git.Git,
}


def open_all(
    names: Sequence[str], folder: Path, stack: ExitStack
) -> tuple[dict[str, Contestant], list[str]]:
    """The named contestants, each in its folder under ``folder`` and closed with ``stack``;
    and for each that cannot run here, a line that says why."""
    opened: dict[str, Contestant] = {}
    missing: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    journal_mode = casstore_store.journal_mode(folder)
    for name in names:
        own = folder / folder_name(name)
        own.mkdir(parents=True, exist_ok=True)
        try:
            contestant = _OPENERS[name](own, journal_mode)
        except (ModuleNotFoundError, FileNotFoundError) as error:
            missing.append(f"{name} ({error})")
            continue
        stack.callback(contestant.close)
        opened[name] = contestant
    return opened, missing


def folder_name(name: str) -> str:
    """The folder of a contestant under the one given to `open_all`."""
    return name.replace(" ", "-").lower()
