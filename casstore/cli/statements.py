"""Runs SQL given by a person on a store: it reads, or changes versions, and nothing else.

SQLite itself enforces that, by an authorizer (https://sqlite.org/c3ref/set_authorizer.html) and,
for reading, ``PRAGMA query_only``. Changes go through the documented ``workflow_version`` alone:
a row written to the tables behind it would break references and digests that every version
relies on, and a trigger added to a store makes casstore refuse it.
"""

from __future__ import annotations

import re
import signal
import sqlite3
import threading
from contextlib import contextmanager

from casstore.backends.sqlite.connection import error_for
from casstore.errors import CasstoreError
from casstore.sqlview import StatementRefused, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Protocol

    from casstore.sqlview import Connection, Cursor

    class Sink(Protocol):
        """Takes the result of each statement in turn."""

        def begin(self, columns: Sequence[str]) -> None:
            """A statement starts; ``columns`` is empty for one that gives no rows."""

        def rows(self, rows: Sequence[Sequence[object]]) -> None:
            """Some of its rows."""

        def end(self, changes: int, inserted: int | None) -> None:
            """It is done: how many versions it changed, and the id of the last one inserted."""


class InvalidStatement(CasstoreError):
    """SQL that SQLite does not understand or cannot carry out."""

    code = "invalid_sql"
    exit_code = 2


class StatementForbidden(CasstoreError):
    """SQL that would do what ``casstore sql`` does not do, or not without ``--write``."""

    code = "forbidden_sql"
    exit_code = 2


_BLANK = re.compile(r"(?:[\s;]|--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))*")

_PART = 200  # rows fetched at a time


def split(text: str) -> list[str]:
    """The statements of a script, as SQLite tells where one ends; those that are nothing but
    comments are left out."""
    if "\x00" in text:
        raise InvalidStatement("the SQL holds a NUL character; leave it out")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidStatement("the SQL is not UTF-8 text; write it in UTF-8") from None
    found, start, end = [], 0, text.find(";")
    while end >= 0:
        if sqlite3.complete_statement(text[start : end + 1]):
            found.append(text[start : end + 1])
            start = end + 1
        end = text.find(";", end + 1)
    found.append(text[start:])
    return [part.strip() for part in found if not _BLANK.fullmatch(part)]


def run_all(path: str, statements: Sequence[str], *, write: bool, sink: Sink) -> None:
    """Runs statements on the store at ``path``; those that write together in one transaction.

    Raises `InvalidStatement`, `StatementForbidden`, what the view refuses (`InvalidDocument` …),
    `StoreBusy`, `StorageFailed`, `Damaged`; then nothing was changed.
    """
    connection = connect(path, isolation_level=None)
    guard = _Guard(write)
    try:
        # taken-over text need not be UTF-8; it leaves as escapes
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        with _Interrupts(connection) as interrupts, _translated(path, guard, interrupts):
            connection.execute("BEGIN IMMEDIATE" if write else "PRAGMA query_only = ON")
            connection.set_authorizer(guard)
            for statement in statements:
                guard.active = True
                if write and not _explains(statement):
                    # Compiled and checked, not run: what the view's functions do while it runs
                    # comes to the authorizer too.
                    connection.execute(f"EXPLAIN {statement}").close()
                    guard.active = False
                _feed(connection.execute(statement), sink)
                interrupts.check()
            guard.active = False
            if write:
                connection.execute("COMMIT")
    finally:
        guard.active = False
        if connection.in_transaction:  # an error may hold statements that keep it from closing
            connection.rollback()
        connection.close()


def _explains(statement: str) -> bool:
    blank = _BLANK.match(statement)
    return statement[blank.end() if blank else 0 :][:7].upper() == "EXPLAIN"


def _feed(cursor: Cursor, sink: Sink) -> None:
    columns = [column[0] for column in cursor.description or ()]
    sink.begin(columns)
    while columns:
        rows = cursor.fetchmany(_PART)
        if not rows:
            break
        sink.rows(rows)
    sink.end(0 if columns else max(cursor.rowcount, 0), None if columns else cursor.lastrowid)


_READ = frozenset((sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE))
_CHANGES = {
    sqlite3.SQLITE_INSERT: "inserts into",
    sqlite3.SQLITE_UPDATE: "updates",
    sqlite3.SQLITE_DELETE: "deletes from",
}
_VIEW = "workflow_version"
_VIEW_FUNCTIONS = frozenset(("casstore_insert", "casstore_update", "casstore_delete"))
# What declaring a table-valued function such as json_each() looks like; a real UPDATE of it
# SQLite refuses by itself while ``PRAGMA writable_schema`` is off.
_DECLARATION = (sqlite3.SQLITE_UPDATE, "sqlite_master")

_TRANSACTIONS = frozenset((sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT))

# Those that only look, by whether their argument names what to look at.
_PRAGMAS_ALONE = frozenset(
    (
        "application_id",
        "collation_list",
        "compile_options",
        "database_list",
        "encoding",
        "freelist_count",
        "function_list",
        "journal_mode",
        "page_count",
        "page_size",
        "schema_version",
        "table_list",
        "user_version",
    )
)
_PRAGMAS_OF = frozenset(
    (
        "foreign_key_check",
        "foreign_key_list",
        "index_info",
        "index_list",
        "index_xinfo",
        "integrity_check",
        "quick_check",
        "table_info",
        "table_xinfo",
    )
)


class _Guard:
    """The authorizer: SQLite asks it about every action of a statement it compiles."""

    def __init__(self, write: bool) -> None:
        self._write = write
        self.active = False
        self.refused: StatementForbidden | None = None

    def __call__(
        self,
        action: int,
        first: str | None,
        second: str | None,
        database: str | None,
        source: str | None,
    ) -> int:
        if not self.active or action in _READ:
            return sqlite3.SQLITE_OK
        reason = self._objection(action, first or "", second, source)
        if reason is None:
            return sqlite3.SQLITE_OK
        if self.refused is None:
            self.refused = StatementForbidden(reason)
        return sqlite3.SQLITE_DENY

    def _objection(
        self, action: int, first: str, second: str | None, source: str | None
    ) -> str | None:
        if action in _CHANGES:
            return self._objection_to_change(action, first)
        if action == sqlite3.SQLITE_FUNCTION:
            if second == "load_extension" or (second in _VIEW_FUNCTIONS and source is None):
                return f"the function {second} cannot be called here; use {_VIEW}"
            return None
        if action == sqlite3.SQLITE_PRAGMA:
            name = first.lower()
            if name in _PRAGMAS_OF or (name in _PRAGMAS_ALONE and second is None):
                return None
            return f"PRAGMA {first} would change a setting; casstore sql does not"
        if action in _TRANSACTIONS:
            return "the statements run in one transaction already; leave BEGIN, COMMIT and such out"
        return "the statement does more than read or change versions; casstore sql does not"

    def _objection_to_change(self, action: int, table: str) -> str | None:
        if (action, table) == _DECLARATION or (table == _VIEW and self._write):
            return None
        if table == _VIEW:
            return f"the statement {_CHANGES[action]} {table}; add --write to change versions"
        return f"the statement {_CHANGES[action]} {table}; only {_VIEW} can be changed, by --write"


# SQLite's texts for a store that fails, as against SQL that is wrong
# (https://sqlite.org/rescode.html); result codes are on the exception from Python 3.11 only.
_FAILURES = (
    "is locked",
    "is not a database",
    "disk image is malformed",
    "is full",
    "readonly",
    "unable to open",
    "disk I/O error",
)


class _Interrupts:
    """Lets Ctrl-C end a statement. Python's own handler would raise inside a callback, where
    SQLite takes any exception for its answer; and without callbacks it would wait for the end."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._came = False
        self._before: Any = None

    def __enter__(self) -> _Interrupts:
        # A few times a second. Python sees to signals where it calls something (up to 3.10 not
        # at the start of a function).
        self._connection.set_progress_handler(lambda: bool(self._came), 100_000)
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, *_: object) -> None:
        self._came = True

    def check(self) -> None:
        """Raises `KeyboardInterrupt` where Ctrl-C came."""
        if self._came:
            raise KeyboardInterrupt


@contextmanager
def _translated(path: str, guard: _Guard, interrupts: _Interrupts) -> Iterator[None]:
    """Raises casstore's error for one of SQLite's."""
    try:
        yield
    except StatementRefused as refused:
        interrupts.check()
        raise refused.error from None
    except (sqlite3.Error, sqlite3.Warning) as error:
        interrupts.check()
        if guard.refused is not None:
            raise guard.refused from None
        text = str(error)
        if isinstance(error, sqlite3.Error) and any(mark in text for mark in _FAILURES):
            raise error_for(error, path) from error
        raise InvalidStatement(f"SQLite does not accept the statement: {text}") from None
