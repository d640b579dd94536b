"""What people put on versions, in SQL: tags, pins and notes."""

from __future__ import annotations

from casstore.records import Marks, TagInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Ask = Callable[[str, Sequence[Any]], list[Any]]
    """Runs a query and gives all rows."""

SET_TAG = """INSERT INTO version_tags (name, version, created_at) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET version = excluded.version, created_at = excluded.created_at"""
REMOVE_TAG = "DELETE FROM version_tags WHERE name = ?"
SET_PIN = """INSERT INTO version_pins (version, created_at) VALUES (?, ?)
ON CONFLICT (version) DO NOTHING"""
REMOVE_PIN = "DELETE FROM version_pins WHERE version = ?"
SET_NOTE = """INSERT INTO version_notes (version, note) VALUES (?, ?)
ON CONFLICT (version) DO UPDATE SET note = excluded.note"""
REMOVE_NOTE = "DELETE FROM version_notes WHERE version = ?"

_TAG = "SELECT name, version, created_at FROM version_tags WHERE name = ?"
_TAGS = """SELECT name, version, created_at FROM version_tags WHERE ? IS NULL OR name > ?
ORDER BY name LIMIT ?"""

_PART = 500  # variables of one statement; SQLite before 3.32 takes 999


def tag(ask: Ask, name: str) -> TagInfo | None:
    """See `casstore.backends.base.Backend.tag`; so do the functions below."""
    rows = ask(_TAG, (name,))
    return TagInfo(*rows[0]) if rows else None


def tags(ask: Ask, after: str | None, limit: int) -> list[TagInfo]:
    return [TagInfo(*row) for row in ask(_TAGS, (after, after, limit))]


def marks(ask: Ask, version_ids: Sequence[int]) -> dict[int, Marks]:
    found: dict[int, Marks] = {}
    for start in range(0, len(version_ids), _PART):
        part = version_ids[start : start + _PART]
        among = f"WHERE version IN ({','.join('?' * len(part))})"
        for version, name in ask(
            f"SELECT version, name FROM version_tags {among} ORDER BY name", part
        ):
            old = found.get(version, Marks())
            found[version] = old._replace(tags=(*old.tags, name))
        for (version,) in ask(f"SELECT version FROM version_pins {among}", part):
            found[version] = found.get(version, Marks())._replace(pinned=True)
        for version, note in ask(f"SELECT version, note FROM version_notes {among}", part):
            found[version] = found.get(version, Marks())._replace(note=note)
    return found
