"""`SqliteBackend`: the contract of `casstore.backends.base` on one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import weakref
from _thread import RLock

from casstore.backends.base import BlobHeader, Counts
from casstore.backends.sqlite import finding, marks, schema
from casstore.backends.sqlite.connection import open_file, translated, wants_wal
from casstore.clock import moment as read_moment
from casstore.errors import Damaged, InvalidVersion, StorageFailed
from casstore.records import DELTA, Blob, SessionInfo, VersionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from casstore.records import Marks, TagInfo

DEFAULT_TIMEOUT = 5.0
"""Seconds a statement waits for another process's lock."""

_BLOB = "id, digest, content_hash, size, codec, encoding, base, depth, position, data"

_FIND_BLOB = "SELECT id FROM blobs WHERE substr(digest, 1, 16) = ? AND digest = ?"
_ADD_BLOB = f"INSERT INTO blobs ({_BLOB}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REPLACE_BLOB = """UPDATE blobs SET content_hash = ?, codec = ?, encoding = ?, base = ?, depth = ?,
position = ?, data = ? WHERE id = ?"""
_HEADER = "SELECT id, digest, size, base, depth, position FROM blobs WHERE id = ?"
_CHAIN = f"""WITH RECURSIVE chain (link, step) AS (
  VALUES (?, 0)
  UNION ALL
  SELECT b.base, step + 1 FROM chain JOIN blobs AS b ON b.id = link
  WHERE b.encoding = {DELTA} AND step < 101
)
SELECT {_BLOB} FROM chain JOIN blobs ON id = link"""
_LOOSE = f"SELECT {_BLOB} FROM blobs WHERE encoding = 0 ORDER BY id LIMIT ?"
_LINE = "SELECT blob FROM lines WHERE key = ?"
_SET_LINE = """INSERT INTO lines (key, blob) VALUES (?, ?)
ON CONFLICT (key) DO UPDATE SET blob = excluded.blob"""

_ADD_VERSION = """INSERT INTO versions
(id, session, data, ui, source, attributes, created_at, path, capture)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_UPDATE_VERSION = """UPDATE versions SET session = ?, data = ?, ui = ?, source = ?, attributes = ?,
created_at = ?, path = ?, capture = ? WHERE id = ?"""
_VERSION = """SELECT v.id, s.name, v.data, v.ui, v.source, v.attributes, v.created_at, p.name,
v.capture FROM versions AS v LEFT JOIN sessions AS s ON s.id = v.session
LEFT JOIN paths AS p ON p.id = v.path"""
_BY_ID = f"{_VERSION} WHERE v.id = ?"
_LATEST = f"""{_VERSION} WHERE v.session = (SELECT id FROM sessions WHERE name = ?)
ORDER BY v.id DESC LIMIT 1"""
_LATEST_OF_NONE = f"{_VERSION} WHERE v.session IS NULL ORDER BY v.id DESC LIMIT 1"
_LATEST_OF_PATH = f"""{_VERSION} WHERE v.path = (SELECT id FROM paths WHERE name = ?)
ORDER BY v.id DESC LIMIT 1"""
_BY_CAPTURE = f"{_VERSION} WHERE v.capture = ?"
_SESSIONS = """SELECT name, n, first, last,
(SELECT created_at FROM versions WHERE id = first),
(SELECT created_at FROM versions WHERE id = last)
FROM (
  SELECT s.name AS name, count(*) AS n, min(v.id) AS first, max(v.id) AS last
  FROM sessions AS s JOIN versions AS v ON v.session = s.id
  WHERE ? IS NULL OR s.name > ?
  GROUP BY s.name ORDER BY s.name LIMIT ?)"""
# With a session or path its newest version, which a save is compared with: one statement, 8 us.
_LINE_OF = {
    table: f"""SELECT l.id, l.ordered, v.id, v.created_at FROM {table} AS l
LEFT JOIN versions AS v ON v.id = (SELECT max(id) FROM versions WHERE {column} = l.id)
WHERE l.name = ?"""
    for table, column in (("sessions", "session"), ("paths", "path"))
}
_LAST_ID = "SELECT seq FROM sqlite_sequence WHERE name = 'versions'"
_COUNTS = """SELECT
(SELECT count(*) FROM versions),
(SELECT count(DISTINCT session) FROM versions),
(SELECT count(*) FROM blobs),
(SELECT count(*) FROM blobs WHERE encoding = 0),
(SELECT coalesce(sum(size), 0) FROM (
  SELECT b.size FROM versions AS v JOIN blobs AS b ON b.id = v.data
  UNION ALL SELECT b.size FROM versions AS v JOIN blobs AS b ON b.id = v.ui)),
(SELECT coalesce(sum(size), 0) FROM blobs),
(SELECT coalesce(sum(length(data)), 0) FROM blobs),
(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size)"""


class SqliteBackend:
    """One store file. ``connection`` lends an open one whose transactions are somebody else's
    (the SQL functions of `casstore.connect`); then `transaction` only joins."""

    engine = f"SQLite {sqlite3.sqlite_version}"
    format = schema.FORMAT

    def __init__(
        self,
        path: str,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        connection: sqlite3.Connection | None = None,
    ) -> None:
        self.location = path
        self._timeout = timeout
        self._lock = RLock()
        self._depth = 0
        self._lent = connection is not None
        self._own = connection
        if not self._lent:
            _OPEN.add(self)

    # Connection

    def identify(self, *, create: bool) -> str:
        """What the file is, as `schema.identify`; an empty one becomes a store if ``create``."""
        kind = None
        if os.path.exists(self.location) or create:
            with self._lock, translated(self.location):
                connection = self._connect(create)
                kind = schema.identify(connection, self.location)
                if kind == schema.EMPTY and create:
                    kind = self._create(connection)
                return kind
        self._connect(create=False)
        raise AssertionError("unreachable")  # pragma: no cover

    def _create(self, connection: sqlite3.Connection) -> str:
        with self.transaction():
            kind = schema.identify(connection, self.location)  # another process may have been first
            if kind == schema.EMPTY:
                schema.create(connection)
        if kind == schema.EMPTY and wants_wal(self.location):
            connection.execute("PRAGMA journal_mode = WAL")
        return schema.STORE if kind == schema.EMPTY else kind

    def _connect(self, create: bool) -> sqlite3.Connection:
        if self._own is None:
            self._own = open_file(self.location, timeout=self._timeout, create=create)
        return self._own

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._own or self._connect(create=False)

    @property
    def journal_mode(self) -> str:
        return str(self._one("PRAGMA journal_mode")[0])

    def close(self) -> None:
        with self._lock:
            if self._own is not None and not self._lent:
                self._own.close()
            self._own = None
            _OPEN.discard(self)

    def transaction(self) -> _Block:
        return _Block(self, "BEGIN IMMEDIATE")

    def reading(self) -> _Block:
        return _Block(self, "BEGIN")

    def _run(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        with self._lock, translated(self.location):
            return self._connection.execute(sql, parameters)

    def _all(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with self._lock, translated(self.location):
            return self._connection.execute(sql, parameters).fetchall()

    def _one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        rows = self._all(sql, parameters)
        return rows[0] if rows else None

    # Blobs

    def find_blob(self, digest: bytes) -> int | None:
        row = self._one(_FIND_BLOB, (digest[:16], digest))
        return row[0] if row else None

    def add_blob(self, blob: Blob) -> int:
        return self._run(_ADD_BLOB, blob[1:]).lastrowid or 0

    def replace_blob(self, blob: Blob) -> None:
        self._run(_REPLACE_BLOB, (blob.content_hash, *blob[4:], blob.id))

    def blob_header(self, blob_id: int) -> BlobHeader:
        row = self._one(_HEADER, (blob_id,))
        if row is None:
            raise Damaged(f"blob {blob_id} is missing from {self.location}", blob=blob_id)
        return BlobHeader(*row)

    def chain(self, blob_id: int) -> Sequence[Blob]:
        rows = [Blob(*row) for row in self._all(_CHAIN, (blob_id,))]
        link: int | None = blob_id
        for row in rows:
            if row.id != link:
                break
            link = row.base
        if not rows or rows[-1].encoding == DELTA or len(rows) > 101:
            raise Damaged(
                f"the chain of blob {blob_id} in {self.location} does not end: "
                f"a base is missing or refers back",
                blob=blob_id,
            )
        return rows

    def loose_blobs(self, limit: int) -> Sequence[Blob]:
        return [Blob(*row) for row in self._all(_LOOSE, (limit,))]

    def newest_in_line(self, key: bytes) -> int | None:
        row = self._one(_LINE, (key,))
        return row[0] if row else None

    def set_line(self, key: bytes, blob_id: int) -> None:
        self._run(_SET_LINE, (key, blob_id))

    # Versions

    def add_version(self, row: VersionRow) -> int:
        session = self._line_id("sessions", row.session, row)
        path = self._line_id("paths", row.path, row)
        values = (row.id or None, session, *row[2:7], path, row.capture)
        try:
            with translated(self.location):
                return self._connection.execute(_ADD_VERSION, values).lastrowid or 0
        except StorageFailed as error:
            if "versions.id" not in str(error.__cause__):
                raise
            raise InvalidVersion(
                f"version {row.id} exists already in {self.location}", version_id=row.id
            ) from None

    def update_version(self, row: VersionRow) -> None:
        session = self._name_id("sessions", row.session)
        path = self._name_id("paths", row.path)
        old = self.version(row.id)
        if old is None or old.created_at != row.created_at or old.session != row.session:
            self._not_ordered("sessions", session)
        if old is None or old.created_at != row.created_at or old.path != row.path:
            self._not_ordered("paths", path)
        self._run(_UPDATE_VERSION, (session, *row[2:7], path, row.capture, row.id))

    def delete_version(self, version_id: int) -> bool:
        return self._run("DELETE FROM versions WHERE id = ?", (version_id,)).rowcount > 0

    def _line_id(self, table: str, name: str | None, row: VersionRow) -> int | None:
        """The id of a session or path. Notes where in it the order of ids ceases to be that of
        times, for then `latest_by` cannot halve its way."""
        if name is None:
            return None
        found = self._one(_LINE_OF[table], (name,))
        time = read_moment(row.created_at)
        if found is None:
            line = self._name_id(table, name)
            ordered = time is not None
        else:
            line, ordered, last, created_at = found
            if not ordered:
                return int(line)
            before = read_moment(created_at) if last is not None else time
            ordered = time is not None and before is not None and before <= time
            ordered = ordered and not (row.id and last is not None and row.id < last)
        if not ordered:
            self._not_ordered(table, line)
        return line

    def _not_ordered(self, table: str, line: int | None) -> None:
        self._run(f"UPDATE {table} SET ordered = 0 WHERE id = ?", (line,))

    def _name_id(self, table: str, name: str | None) -> int | None:
        if name is None:
            return None
        row = self._one(f"SELECT id FROM {table} WHERE name = ?", (name,))
        if row is not None:
            return int(row[0])
        return self._run(f"INSERT INTO {table} (name) VALUES (?)", (name,)).lastrowid

    def version(self, version_id: int) -> VersionRow | None:
        return self._version(_BY_ID, (version_id,))

    def latest(self, session: str | None) -> VersionRow | None:
        if session is None:
            return self._version(_LATEST_OF_NONE, ())
        return self._version(_LATEST, (session,))

    def latest_of_path(self, path: str) -> VersionRow | None:
        return self._version(_LATEST_OF_PATH, (path,))

    def version_of_capture(self, capture: str) -> VersionRow | None:
        return self._version(_BY_CAPTURE, (capture,))

    def _version(self, sql: str, parameters: Sequence[Any]) -> VersionRow | None:
        row = self._one(sql, parameters)
        return VersionRow(*row) if row else None

    def versions(
        self,
        *,
        after: int = 0,
        limit: int = 1000,
        session: str | None = None,
        path: str | None = None,
        newest_first: bool = False,
    ) -> Sequence[VersionRow]:
        wheres, parameters = [], []
        if after:
            wheres.append("v.id < ?" if newest_first else "v.id > ?")
            parameters.append(after)
        for column, table, name in (("session", "sessions", session), ("path", "paths", path)):
            if name is not None:
                wheres.append(f"v.{column} = (SELECT id FROM {table} WHERE name = ?)")
                parameters.append(name)  # type: ignore[arg-type]
        where = f" WHERE {' AND '.join(wheres)}" if wheres else ""
        order = "DESC" if newest_first else "ASC"
        sql = f"{_VERSION}{where} ORDER BY v.id {order} LIMIT ?"
        return [VersionRow(*row) for row in self._all(sql, (*parameters, limit))]

    # Finding versions

    def nth_latest(
        self,
        skip: int,
        *,
        session: str | None = None,
        path: str | None = None,
        up_to: int | None = None,
    ) -> VersionRow | None:
        found = finding.nth_latest(self._all, skip, session, path, up_to)
        return None if found is None else self.version(found)

    def latest_by(
        self, moment: int, *, session: str | None = None, path: str | None = None
    ) -> VersionRow | None:
        with self.reading():
            found = finding.latest_by(self._all, moment, session, path)
            return None if found is None else self.version(found)

    def blobs_between(
        self, low: bytes, high: bytes, *, digests: bool = False, limit: int = 1000
    ) -> Sequence[tuple[int, bytes]]:
        return finding.blobs_between(self._all, low, high, digests, limit)

    def holders(
        self, blob_id: int, *, after: int = 0, limit: int = 1000, newest_first: bool = False
    ) -> Sequence[int]:
        return finding.holders(self._all, blob_id, after, limit, newest_first)

    def stored_sizes(self, blob_ids: Sequence[int]) -> dict[int, int]:
        return finding.stored_sizes(self._all, blob_ids)

    # What people put on versions

    def set_tag(self, name: str, version_id: int, created_at: str) -> None:
        self._run(marks.SET_TAG, (name, version_id, created_at))

    def remove_tag(self, name: str) -> bool:
        return self._run(marks.REMOVE_TAG, (name,)).rowcount > 0

    def tag(self, name: str) -> TagInfo | None:
        return marks.tag(self._all, name)

    def tags(self, *, after: str | None = None, limit: int = 1000) -> Sequence[TagInfo]:
        return marks.tags(self._all, after, limit)

    def set_pin(self, version_id: int, created_at: str) -> None:
        self._run(marks.SET_PIN, (version_id, created_at))

    def remove_pin(self, version_id: int) -> bool:
        return self._run(marks.REMOVE_PIN, (version_id,)).rowcount > 0

    def set_note(self, version_id: int, note: str | None) -> None:
        if note is None:
            self._run(marks.REMOVE_NOTE, (version_id,))
        else:
            self._run(marks.SET_NOTE, (version_id, note))

    def marks(self, version_ids: Sequence[int]) -> dict[int, Marks]:
        return marks.marks(self._all, version_ids)

    # Totals

    def blob_hashes(self, blob_ids: Sequence[int]) -> dict[int, tuple[bytes | None, int]]:
        found: dict[int, tuple[bytes | None, int]] = {}
        for start in range(0, len(blob_ids), 500):
            part = blob_ids[start : start + 500]
            marks = ",".join("?" * len(part))
            sql = f"SELECT id, content_hash, size FROM blobs WHERE id IN ({marks})"
            found.update((i, (content, size)) for i, content, size in self._all(sql, part))
        return found

    def sessions(self, *, after: str | None = None, limit: int = 1000) -> Sequence[SessionInfo]:
        return [SessionInfo(*row) for row in self._all(_SESSIONS, (after, after, limit))]

    def last_version_id(self) -> int:
        row = self._one(_LAST_ID)
        return int(row[0]) if row else 0

    def set_last_version_id(self, version_id: int) -> None:
        with self.transaction():
            if self._one(_LAST_ID) is None:
                self._run("INSERT INTO sqlite_sequence (name, seq) VALUES ('versions', 0)")
            self._run(
                "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'versions'",
                (version_id,),
            )

    def counts(self) -> Counts:
        return Counts(*self._one(_COUNTS))


class _Block:
    """A transaction from ``with`` to its end. Inside another, or on a lent connection, it joins.

    A class, for a save enters two of them and every process imports this module: `contextlib`
    costs 0.5 ms of a 12 ms start.
    """

    __slots__ = ("_backend", "_begin", "_outermost")

    def __init__(self, backend: SqliteBackend, begin: str) -> None:
        self._backend = backend
        self._begin = begin
        self._outermost = False

    def __enter__(self) -> None:
        backend = self._backend
        backend._lock.acquire()
        try:
            if not (backend._lent or backend._depth):
                with translated(backend.location):
                    backend._connection.execute(self._begin)
                backend._depth = 1
                self._outermost = True
        except BaseException:
            backend._lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        backend = self._backend
        try:
            if self._outermost:
                self._end(backend, failed=error is not None)
        finally:
            backend._lock.release()

    @staticmethod
    def _end(backend: SqliteBackend, *, failed: bool) -> None:
        backend._depth = 0
        connection = backend._own
        if connection is None:  # closed inside, or the child of a fork inside: nothing to end
            return
        try:
            if not failed:
                with translated(backend.location):
                    connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


# A SQLite connection must not be used, nor closed inside a transaction, in a forked child. The
# lock is held across the fork, so that no transaction is open; the child then opens its own.
_OPEN: weakref.WeakSet[SqliteBackend] = weakref.WeakSet()
_ABANDONED: list[sqlite3.Connection] = []
_HELD: list[SqliteBackend] = []


def _before_fork() -> None:
    for backend in list(_OPEN):
        backend._lock.acquire()
        _HELD.append(backend)


def _after_fork_in_parent() -> None:
    while _HELD:
        _HELD.pop()._lock.release()


def _after_fork_in_child() -> None:
    while _HELD:
        backend = _HELD.pop()
        if backend._own is not None:
            _ABANDONED.append(backend._own)
            backend._own = None
        backend._depth = 0
        backend._lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
