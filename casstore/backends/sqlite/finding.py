"""Finds versions in SQL by their place, their time or what they hold, each through an index.

In a store of 1,000,000 versions a look-up takes well under a millisecond; the exceptions say so.
"""

from __future__ import annotations

from casstore.clock import moment as read_moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Ask = Callable[[str, Sequence[Any]], list[Any]]
    """Runs a query and gives all rows."""

_OF_SESSION = "session = (SELECT id FROM sessions WHERE name = ?)"
_OF_PATH = "path = (SELECT id FROM paths WHERE name = ?)"


_PART = 500  # variables of one statement; SQLite before 3.32 takes 999
_PAGE = 1000


def nth_latest(
    ask: Ask, skip: int, session: str | None, path: str | None, up_to: int | None
) -> int | None:
    """The id. OFFSET steps over index entries only, some 20 million a second."""
    where, name = (_OF_SESSION, session) if session is not None else (_OF_PATH, path)
    bound = "AND id <= ?" if up_to is not None else "AND ? IS NULL"
    sql = f"SELECT id FROM versions WHERE {where} {bound} ORDER BY id DESC LIMIT 1 OFFSET ?"
    rows = ask(sql, (name, up_to, skip))
    return rows[0][0] if rows else None


def latest_by(ask: Ask, moment: int, session: str | None, path: str | None) -> int | None:
    """The id. Where ids are in the order of times, as they are unless rows came from elsewhere or
    a clock was set back, by halving (20 steps in a million versions); else by a walk from the
    newest version."""
    if session is not None:
        table, where, name = "sessions", _OF_SESSION, session
    else:
        table, where, name = "paths", _OF_PATH, path or ""
    rows = ask(f"SELECT ordered FROM {table} WHERE name = ?", (name,))
    if not rows:
        return None
    by = _by_halving if rows[0][0] else _by_walking
    return by(ask, moment, where, name)


def _by_halving(ask: Ask, moment: int, where: str, name: str) -> int | None:
    newest = f"SELECT id, created_at FROM versions WHERE {where} AND id <= ? ORDER BY id DESC"
    oldest = f"SELECT id FROM versions WHERE {where} ORDER BY id"
    first = ask(f"{oldest} LIMIT 1", (name,))
    last = ask(f"{newest} LIMIT 1", (name, 2**63 - 1))
    if not first or not last:
        return None
    # the answer is never below `low`, and never above `high`
    low, high = first[0][0], last[0][0]
    found = None
    while low <= high:
        version, created_at = ask(f"{newest} LIMIT 1", (name, (low + high + 1) // 2))[0]
        time = read_moment(created_at)
        if time is not None and time <= moment:
            found = version
            low = (low + high + 1) // 2 + 1
        else:
            high = version - 1
    return found


def _by_walking(ask: Ask, moment: int, where: str, name: str) -> int | None:
    sql = f"""SELECT id, created_at FROM versions WHERE {where} AND id < ?
ORDER BY id DESC LIMIT {_PAGE}"""
    before = 2**63 - 1
    while True:
        rows = ask(sql, (name, before))
        for version, created_at in rows:
            time = read_moment(created_at)
            if time is not None and time <= moment:
                return version  # type: ignore[no-any-return]
        if len(rows) < _PAGE:
            return None
        before = rows[-1][0]


def blobs_between(
    ask: Ask, low: bytes, high: bytes, digests: bool, limit: int
) -> list[tuple[int, bytes]]:
    column = "digest" if digests else "content_hash"
    sql = f"""SELECT id, {column} FROM blobs WHERE {column} BETWEEN ? AND ?
ORDER BY {column}, id LIMIT ?"""
    return ask(sql, (low, high, limit))


# The conditions are those of the indexes, which are used for nothing less.
_HELD = (
    "data = ?",
    "ui = ? AND ui IS NOT NULL AND ui IS NOT data",
    "source = ? AND source IS NOT NULL AND source IS NOT data",
)


def holders(ask: Ask, blob_id: int, after: int, limit: int, newest_first: bool) -> list[int]:
    order, beyond = ("DESC", "id < ?") if newest_first else ("ASC", "id > ?")
    if not after:
        beyond = "? = 0"
    found: set[int] = set()
    for held in _HELD:
        sql = f"SELECT id FROM versions WHERE {held} AND {beyond} ORDER BY id {order} LIMIT ?"
        found.update(version for (version,) in ask(sql, (blob_id, after, limit)))
    return sorted(found, reverse=newest_first)[:limit]


def stored_sizes(ask: Ask, blob_ids: Sequence[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for start in range(0, len(blob_ids), _PART):
        part = blob_ids[start : start + _PART]
        marks = ",".join("?" * len(part))
        sql = f"SELECT id, length(data) FROM blobs WHERE id IN ({marks})"
        found.update(ask(sql, part))
    return found
