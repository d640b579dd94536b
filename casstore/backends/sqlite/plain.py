"""Reads the documented table as a plain SQLite port keeps it: every value to the byte, by id.

Columns may stand in any order and be declared as anything. What cannot be kept exactly is refused
with the row's id, never changed; numbers and BLOBs become the text with the same content, and are
counted.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from pathlib import Path

from casstore.backends.sqlite import schema
from casstore.backends.sqlite.connection import translated
from casstore.errors import FormatNotSupported, NoStore, StorageFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NamedTuple
else:
    from casstore._namedtuple import NamedTuple

TABLE = "workflow_version"

REQUIRED = ("id", "session_id", "workflow_data")
OPTIONAL = ("workflow_data_ui", "attributes", "created_at")

_COLUMNS = "SELECT name, hidden FROM pragma_table_xinfo(?)"
_FIND = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
_HAS_COUNTER = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_sequence'"
_COUNTER = "SELECT max(CAST(seq AS INTEGER)) FROM sqlite_sequence WHERE name = ?"


class NotTakenOver(FormatNotSupported):
    """A plain table, or a row of it, that a store cannot hold without a change (``details``:
    ``path`` and, where one row is the reason, ``row`` and ``column``)."""

    code = "not_taken_over"


class PlainRow(NamedTuple):
    """One row of the table. The JSON columns are bytes, for their text need not be UTF-8."""

    id: int
    session_id: str | None
    workflow_data: bytes | None
    workflow_data_ui: bytes | None
    attributes: str | None
    created_at: str | None
    retyped: int
    """How many of the values were stored as a number or BLOB and are text here."""


class _Text(bytes):
    """The bytes of a TEXT value as stored; those of a BLOB come as plain ``bytes``."""


class PlainTable:
    """The table ``workflow_version`` of one connection, inside a transaction of the caller's.

    Raises `NotTakenOver` where it lacks a column of `REQUIRED`.
    """

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self.path = path
        self.name = TABLE
        """What the table is called now; the take-over moves it away."""
        with translated(path):
            found = connection.execute(_COLUMNS, (TABLE,)).fetchall()
        named = {str(name).lower(): str(name) for name, _ in found}
        missing = [name for name in REQUIRED if name not in named]
        if missing:
            raise NotTakenOver(
                f"the table {TABLE} in {path} has no column {' and no '.join(missing)}: it is not "
                f"the table of a workflow checkpoint; name another file",
                path=path,
            )
        self._columns = [named.get(name) for name in (*REQUIRED, *OPTIONAL)]
        known = {*REQUIRED, *OPTIONAL}
        others = [(str(name), hidden) for name, hidden in found if name.lower() not in known]
        # hidden: 0 a stored column, 2 and 3 one that is computed from the others
        self.extra = [name for name, hidden in others if hidden not in (2, 3)]
        self.computed = [name for name, hidden in others if hidden in (2, 3)]

    def count(self) -> int:
        """How many rows there are."""
        return int(self._one(f"SELECT count(*) FROM {self.name}")[0])

    def counter(self) -> int:
        """The largest id that AUTOINCREMENT has given, 0 where the table does not count."""
        counts = self._one(_HAS_COUNTER)[0]
        return int(self._one(_COUNTER, (self.name,))[0] or 0) if counts else 0

    def filled(self) -> list[str]:
        """The names of the extra columns that hold anything but NULL."""
        if not self.extra:
            return []
        marks = ", ".join(f"max({quoted(name)} IS NOT NULL)" for name in self.extra)
        row = self._one(f"SELECT {marks} FROM {self.name}")
        return [name for name, holds in zip(self.extra, row, strict=True) if holds]

    def _one(self, sql: str, parameters: tuple[str, ...] = ()) -> Any:
        with translated(self.path):
            return self._connection.execute(sql, parameters).fetchone()

    def rows(self) -> Iterator[PlainRow]:
        """Every row in the order of ids, one at a time: memory does not grow with their number.

        Raises `NotTakenOver` for a row whose id is no positive integer or stands twice, and for
        one with a ``session_id``, ``attributes`` or ``created_at`` that is no text.
        """
        columns = ", ".join("NULL" if name is None else quoted(name) for name in self._columns)
        order = quoted(self._columns[0] or "id")
        last = 0
        with translated(self.path):
            with self._raw():
                cursor = self._connection.execute(
                    f"SELECT {columns} FROM {self.name} ORDER BY {order}"
                )
            while True:
                with self._raw():
                    values = cursor.fetchone()
                if values is None:
                    return
                row = self._row(values, last)
                last = row.id
                yield row

    @contextmanager
    def _raw(self) -> Iterator[None]:
        """TEXT as its bytes. The connection is the store's as well, which reads ``str``."""
        before, self._connection.text_factory = self._connection.text_factory, _Text
        try:
            yield
        finally:
            self._connection.text_factory = before

    def _row(self, values: tuple[Any, ...], last: int) -> PlainRow:
        row_id = values[0]
        if type(row_id) is not int or row_id <= last:
            twice = ", which stands twice" if type(row_id) is int and row_id == last > 0 else ""
            shown = _shown(row_id)
            raise NotTakenOver(
                f"the table {TABLE} in {self.path} has a row with the id {shown}{twice}; a version "
                f"id is a positive integer of its own: correct the row",
                path=self.path,
                row=shown,
            )
        retyped = sum(value is not None and type(value) is not _Text for value in values[1:])
        session, data, ui, attributes, created_at = (_as_bytes(value) for value in values[1:])
        return PlainRow(
            row_id,
            self._text(session, row_id, "session_id"),
            data,
            ui,
            self._text(attributes, row_id, "attributes"),
            self._text(created_at, row_id, "created_at"),
            retyped,
        )

    def _text(self, value: bytes | None, row_id: int, column: str) -> str | None:
        try:
            return None if value is None else value.decode()
        except UnicodeDecodeError as error:
            raise NotTakenOver(
                f"row {row_id} of {TABLE} in {self.path} has a {column} that is not UTF-8 text: "
                f"byte {error.start} is {error.object[error.start]:#04x}; correct the row",
                path=self.path,
                row=row_id,
                column=column,
            ) from None


def _as_bytes(value: Any) -> bytes | None:
    """The text of a value: of a number the shortest that gives the same number."""
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return b"Infinity" if value > 0 else b"-Infinity"
    return repr(value).encode()


def _shown(value: Any) -> str:
    if value is None:
        return "NULL"
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def reading(path: str, *, timeout: float) -> Iterator[PlainTable]:
    """The plain table of a file that is opened read-only, as it stands at one moment.

    Other programs can read meanwhile; ones that write wait. Raises `NoStore` where there is no
    file, `NotTakenOver` where it holds no such table.
    """
    if not os.path.exists(path):
        raise NoStore(f"there is no file {path}", path=path)
    connection = _open_read_only(path, timeout)
    try:
        with translated(path):
            connection.execute("BEGIN")
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            found = connection.execute(_FIND, (TABLE,)).fetchone()
        if application == schema.APPLICATION_ID:
            raise NotTakenOver(f"{path} is a store already; open it as it is", path=path)
        if not found:
            raise NotTakenOver(f"{path} holds no table {TABLE}: nothing to migrate", path=path)
        yield PlainTable(connection, path)
    finally:
        connection.close()


def _open_read_only(path: str, timeout: float) -> sqlite3.Connection:
    address = Path(path).resolve().as_uri() + "?mode=ro"
    with translated(path):
        connection = sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if "readonly" in str(error) or "unable to open" in str(error):
            raise StorageFailed(
                f"{path} cannot be read without writing to it ({error}): its program ended in the "
                f"middle of a write, or its folder is read-only; copy the file together with "
                f"those beside it that end in -journal or -wal, and migrate the copy",
                path=path,
            ) from None
        with translated(path):
            raise
    return connection
