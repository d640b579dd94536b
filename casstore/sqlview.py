"""`connect`: SQL written for the documented ``workflow_version`` table runs unchanged.

The view's functions and triggers call into a `Store` over the very connection that runs the
statement, so that what they do belongs to the statement's transaction. SQLite reports
``lastrowid`` and ``rowcount`` 0 for a statement on a view; the cursor here gives the real ones.
"""

from __future__ import annotations

import os
import sqlite3

from casstore.backends.sqlite import connection as settings
from casstore.backends.sqlite.backend import DEFAULT_TIMEOUT, SqliteBackend
from casstore.clock import timestamp
from casstore.errors import CasstoreError, InvalidVersion
from casstore.location import store_path
from casstore.opening import open_store
from casstore.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Literal


class StatementRefused(sqlite3.IntegrityError):
    """A statement on ``workflow_version`` that would store what casstore cannot keep exactly, or
    read what is damaged. ``error`` is casstore's own; ``code`` and ``exit_code`` are its."""

    def __init__(self, error: CasstoreError) -> None:
        super().__init__(error.message)
        self.error = error
        self.code = error.code
        self.exit_code = error.exit_code


class Cursor(sqlite3.Cursor):
    """A cursor that knows what the statement did behind the view."""

    connection: Connection
    _effect: _Effect | None = None

    def execute(self, sql: str, parameters: Any = (), /) -> Cursor:
        return self._through(lambda: super(Cursor, self).execute(sql, parameters))

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        return self._through(lambda: super(Cursor, self).executemany(sql, parameters), many=True)

    def executescript(self, sql_script: str, /) -> Cursor:
        return self._through(lambda: super(Cursor, self).executescript(sql_script))

    def _through(self, call: Callable[[], object], *, many: bool = False) -> Cursor:
        self._effect = None
        effect = self.connection._begin_statement()
        self._translated(call)
        if effect.changes:
            self._effect = effect
            self.connection._last_rowid = effect.inserted
            if many:
                effect.inserted = None
        elif super().lastrowid:
            self.connection._last_rowid = super().lastrowid
        return self

    def _translated(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except sqlite3.OperationalError as error:
            failure = self.connection._take_failure()
            if isinstance(failure, CasstoreError):
                raise StatementRefused(failure) from failure
            raise failure or error from None

    def fetchone(self) -> Any:
        return self._translated(super().fetchone)

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        return self._translated(  # type: ignore[no-any-return]
            lambda: super(Cursor, self).fetchmany(size)
        )

    def fetchall(self) -> list[Any]:
        return self._translated(super().fetchall)  # type: ignore[no-any-return]

    def __next__(self) -> Any:
        return self._translated(super().__next__)

    @property
    def lastrowid(self) -> int | None:
        """The version's id after an INSERT into ``workflow_version``, else SQLite's."""
        return self._effect.inserted if self._effect else super().lastrowid

    @property
    def rowcount(self) -> int:
        """Versions inserted, updated or deleted through the view, else SQLite's."""
        return self._effect.changes if self._effect else super().rowcount


class _Effect:
    """What one statement did behind the view."""

    changes = 0
    inserted: int | None = None


class Connection(sqlite3.Connection):
    """A connection whose ``workflow_version`` reads and writes like the documented table."""

    _statement = _Effect()
    _failure: BaseException | None = None
    _last_rowid: int | None = 0
    _store: Store

    def cursor(self, factory: Any = Cursor) -> Any:
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = (), /) -> Cursor:
        return self.cursor().execute(sql, parameters)  # type: ignore[no-any-return]

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        return self.cursor().executemany(sql, parameters)  # type: ignore[no-any-return]

    def executescript(self, sql_script: str, /) -> Cursor:
        return self.cursor().executescript(sql_script)  # type: ignore[no-any-return]

    def _begin_statement(self) -> _Effect:
        self._failure = None
        self._statement = _Effect()
        return self._statement

    def _take_failure(self) -> BaseException | None:
        failure, self._failure = self._failure, None
        return failure

    def _bring_functions(self, path: str) -> None:
        lent: Any = _Plain(self)
        self._store = Store(SqliteBackend(path, connection=lent))
        for name, arguments, function in (
            ("casstore_text", 1, self._text),
            ("casstore_insert", 6, self._insert),
            ("casstore_update", 7, self._update),
            ("casstore_delete", 1, self._delete),
            ("last_insert_rowid", 0, lambda: self._last_rowid),
        ):
            self.create_function(name, arguments, self._safely(function))

    def _safely(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Keeps the exception for the cursor (SQLite reports only that there was one), and the
        caller's ``text_factory`` away from casstore's own statements."""

        def call(*arguments: Any) -> Any:
            factory, self.text_factory = self.text_factory, str
            try:
                return function(*arguments)
            except BaseException as error:
                self._failure = error
                raise
            finally:
                self.text_factory = factory

        return call

    def _text(self, blob: int | None) -> str | bytes | None:
        return None if blob is None else self._store.blob_text(blob)

    def _insert(
        self,
        version: int | None,
        session: str | None,
        data: str | None,
        ui: str | None,
        attributes: str | None,
        created_at: str | None,
    ) -> int:
        made = self._store.save_texts(
            session, data, ui, attributes, created_at or timestamp(), version_id=version or 0
        )
        self._statement.changes += 1
        self._statement.inserted = made
        return made

    def _update(self, old: int, new: int, *columns: str | None) -> int:
        if old != new:
            raise InvalidVersion(f"version {old} cannot get another id; ids name versions for ever")
        self._store.save_texts(*columns, version_id=old, replace=True)
        self._statement.changes += 1
        return old

    def _delete(self, version: int) -> int:
        self._store.delete(version)
        self._statement.changes += 1
        return version


class _Plain:
    """The connection for casstore's own statements: no row factory, no view's cursor."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        cursor = sqlite3.Cursor(self._connection)
        cursor.row_factory = None
        return cursor.execute(sql, parameters)


def connect(
    path: str | os.PathLike[str] | None = None,
    *,
    timeout: float = DEFAULT_TIMEOUT,
    isolation_level: Literal["DEFERRED", "EXCLUSIVE", "IMMEDIATE"] | None = "DEFERRED",
    check_same_thread: bool = True,
) -> Connection:
    """A ``sqlite3`` connection to a store, on which ``workflow_version`` is the documented table.

    The store is found, made or taken over as by `casstore.open_store`. Transactions are the
    standard library's: a change is kept by ``commit()``. Statements that would store what cannot
    be kept exactly raise `StatementRefused`, a ``sqlite3.IntegrityError``.
    """
    where = store_path(os.environ, os.getcwd()) if path is None else os.path.abspath(path)
    open_store(where, timeout=timeout).close()
    opened = settings.open_file(
        where,
        timeout=timeout,
        create=False,
        settings=settings.VIEW_SETTINGS,
        factory=Connection,
        isolation_level=isolation_level,
        check_same_thread=check_same_thread,
    )
    assert isinstance(opened, Connection)
    opened._bring_functions(where)
    return opened
