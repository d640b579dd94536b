"""Stores on every backend, behind one handle: made, opened again, closed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from casstore.backends.memory import MemoryBackend, MemoryData
from casstore.backends.sqlite.backend import SqliteBackend
from casstore.store import Store

if TYPE_CHECKING:
    from casstore.backends.base import Backend

ENGINES = ("sqlite", "memory")


class Place:
    """One store of one engine, and whatever is open on it."""

    def __init__(self, engine: str, folder: Path) -> None:
        self.engine = engine
        self.path = folder / "store.sqlite"
        self._data = MemoryData()
        self._opened: list[Backend] = []

    def backend(self, timeout: float = 5.0) -> Backend:
        """Another backend object over the store, which is made where it is not there yet."""
        backend: Backend
        if self.engine == "memory":
            backend = MemoryBackend(self._data, timeout=timeout)
        else:
            backend = SqliteBackend(str(self.path), timeout=timeout)
            backend.identify(create=True)
        self._opened.append(backend)
        return backend

    def open(self, *, loose: bool = False, timeout: float = 5.0) -> Store:
        """Another `Store`, with nothing in its memory."""
        return Store(self.backend(timeout), loose=loose)

    def close(self) -> None:
        """Closes all that was opened. The store can be opened again."""
        while self._opened:
            self._opened.pop().close()
