"""casstore itself, through its public API, as a contestant."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import casstore

FILE_NAME = "checkpoint.sqlite"


class Casstore:
    def __init__(self, folder: Path, journal_mode: str) -> None:
        self.store = casstore.open_store(folder / FILE_NAME)
        chosen = self.store.info().journal_mode
        assert chosen.upper() == journal_mode.upper(), (chosen, journal_mode)

    def save(self, session_id: str, document: dict[str, Any]) -> int:
        return self.store.save(session_id, document).version_id

    def restore(self, key: int) -> Any:
        return self.store.restore(version_id=key).workflow_data

    def close(self) -> None:
        self.store.close()


def journal_mode(folder: Path) -> str:
    """The journal mode casstore chooses for a new store in this folder, such as ``PERSIST``."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as probe,
        casstore.open_store(Path(probe) / "probe.sqlite") as store,
    ):
        return store.info().journal_mode.upper()
