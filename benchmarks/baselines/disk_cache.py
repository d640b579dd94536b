"""``diskcache.Cache`` used as a log of versions: ``(session, number)`` to the value.

Values above ``disk_min_file_size`` go to files that diskcache does not fsync, so the limit is
raised to keep every value inside SQLite, where ``synchronous=FULL`` makes it durable. Nothing is
evicted.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

_FULL = 2
_NEVER = 2**40


class DiskCache:
    def __init__(self, folder: Path, journal_mode: str) -> None:
        cache: Any = import_module("diskcache").Cache
        self._cache: Any = cache(
            str(folder),
            sqlite_journal_mode=journal_mode.lower(),
            sqlite_synchronous=_FULL,
            disk_min_file_size=_NEVER,
            size_limit=_NEVER,
            eviction_policy="none",
            cull_limit=0,
        )
        self._number = 0

    def save(self, session_id: str, document: dict[str, Any]) -> tuple[str, int]:
        self._number += 1
        key = (session_id, self._number)
        self._cache[key] = document
        return key

    def restore(self, key: tuple[str, int]) -> Any:
        return self._cache[key]

    def close(self) -> None:
        self._cache.close()
