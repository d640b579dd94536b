"""Turns a SQLite file with the plain table into a store, in place: whole, or not at all.

One transaction from the first look to the commit. Its write lock comes first, the backup copy
second: no other program can write in between, so the copy, the rows taken over and the file that
is replaced are the same. SQLite's own journal makes a crash at any point leave the old file or
the new one.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import suppress

from casstore.backends.sqlite import schema
from casstore.backends.sqlite.backend import SqliteBackend
from casstore.backends.sqlite.connection import (
    open_file,
    schema_not_trusted,
    synchronous_full,
    translated,
    wants_wal,
)
from casstore.backends.sqlite.plain import TABLE, NotTakenOver, PlainTable, quoted
from casstore.errors import Damaged, StorageFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

_ASIDE = "casstore_plain_workflow_version"

_ATTACHED = """SELECT type, name FROM sqlite_master
WHERE lower(tbl_name) = ? AND type IN ('index', 'trigger') AND sql IS NOT NULL
ORDER BY type, name"""
_NAMES = """SELECT name FROM sqlite_master
WHERE NOT (lower(tbl_name) = ? AND type IN ('index', 'trigger'))"""
_FOREIGN_TRIGGERS = """SELECT name, tbl_name FROM sqlite_master
WHERE type = 'trigger' AND lower(tbl_name) <> ?"""
_REFERRERS = """SELECT DISTINCT m.name FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND m.name <> ? AND lower(f."table") = ?"""
_OTHER_TABLES = """SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name <> ?
AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"""

_INSTEAD = "leave the file as it is and copy it into a new store: casstore migrate SRC DEST"


def _references_off(connection: sqlite3.Connection) -> None:
    """Else moving the table away would rewrite what refers to it; `Upgrade.commit` checks."""
    connection.execute("PRAGMA foreign_keys = OFF")


def _rename_only(connection: sqlite3.Connection) -> None:
    """Renaming changes the table alone, not the views of the file that read it
    (https://sqlite.org/pragma.html#pragma_legacy_alter_table)."""
    connection.execute("PRAGMA legacy_alter_table = ON")


def _large_cache(connection: sqlite3.Connection) -> None:
    """64 MiB: a transaction that outgrows the cache locks readers out from then on."""
    connection.execute("PRAGMA cache_size = -65536")


# The journal is the default one, which is deleted at the end: kept, it would stay as large as
# the old file.
_SETTINGS = (synchronous_full, schema_not_trusted, _references_off, _rename_only, _large_cache)


class Upgrade:
    """The write lock on one file, as a context manager. Leaving it without `commit` changes
    nothing and leaves no copy behind. Raises `StoreBusy` where another program has the lock for
    longer than ``timeout`` seconds.
    """

    def __init__(self, path: str, *, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._backup: str | None = None
        self._temporary = f"{os.path.realpath(path)}.plain.tmp"
        self._committed = False
        self._others = False
        self._connection = open_file(path, timeout=timeout, create=False, settings=_SETTINGS)
        try:
            with translated(path):
                self._connection.execute("BEGIN IMMEDIATE")
                self.kind = schema.identify(self._connection, path)
                """What the file is, as `schema.identify`: another process may have been first."""
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Upgrade:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if not self._committed:
                self._undo()
        finally:
            self._connection.close()

    def _undo(self) -> None:
        with suppress(OSError):  # while the lock is held: the next process uses the same name
            os.unlink(self._temporary)
        with suppress(sqlite3.Error):  # closing the connection undoes as well
            self._connection.execute("ROLLBACK")
        if self._backup is not None:
            with suppress(Exception):  # keep the copy unless the original is surely there
                if schema.identify(self._connection, self._path) == schema.PLAIN:
                    os.unlink(self._backup)

    def table(self) -> PlainTable:
        """The table to take over. Raises `NotTakenOver` where the file holds what an upgrade in
        place would lose or break."""
        with translated(self._path):
            table = PlainTable(self._connection, self._path)
            self._refuse_loss(table)
            self._refuse_breakage()
        return table

    def _refuse_loss(self, table: PlainTable) -> None:
        filled = table.filled()
        if filled:
            raise NotTakenOver(
                f"the table {TABLE} in {self._path} has more columns than a store keeps: "
                f"{', '.join(filled)}; {_INSTEAD} (which leaves these columns out)",
                path=self._path,
                columns=filled,
            )

    def _refuse_breakage(self) -> None:
        ask = self._connection.execute
        taken = {str(name).lower() for (name,) in ask(_NAMES, (TABLE,))}
        clash = sorted(taken & _own_names() - {TABLE})
        if clash:
            raise NotTakenOver(
                f"{self._path} holds {', '.join(clash)}, names that a store needs; {_INSTEAD}",
                path=self._path,
                names=clash,
            )
        for name, of in ask(_FOREIGN_TRIGGERS, (TABLE,)):
            raise NotTakenOver(
                f"{self._path} holds the trigger {name} on {of}, and a store admits no triggers "
                f"but its own; {_INSTEAD}",
                path=self._path,
                names=[name],
            )
        for (name,) in ask(_REFERRERS, (TABLE, TABLE)):
            raise NotTakenOver(
                f"the table {name} in {self._path} refers to {TABLE} by a foreign key, which a "
                f"store's view cannot serve; {_INSTEAD}",
                path=self._path,
                names=[name],
            )
        self._others = ask(_OTHER_TABLES, (TABLE,)).fetchone()[0] > 0

    def back_up(self) -> None:
        """Writes a copy of the file, private to the user and safe on disk, under a temporary
        name in the same folder."""
        try:
            with suppress(FileNotFoundError):
                os.unlink(self._temporary)  # of an upgrade that was killed
            os.close(os.open(self._temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            with translated(self._path):
                self._copy()
            _sync(self._temporary)
        except OSError as error:
            raise StorageFailed(
                f"the backup copy of {self._path} cannot be written beside it: "
                f"{error.strerror or error}; nothing was changed",
                path=self._path,
            ) from None

    def _copy(self) -> None:
        # A connection inside a write transaction cannot be copied from. A second one sees the
        # same: the last commit, which nobody can follow up while the lock is held.
        source = open_file(self._path, timeout=self._timeout, create=False, settings=())
        try:
            copy = sqlite3.connect(self._temporary, isolation_level=None)
            try:
                copy.execute("PRAGMA journal_mode = OFF")
                copy.execute("PRAGMA synchronous = OFF")
                source.backup(copy)
            finally:
                copy.close()
        finally:
            source.close()

    def move_away(self, table: PlainTable) -> list[str]:
        """Makes the schema where the plain table was, for `backend` to fill. Returns the names of
        the indexes and triggers that the table had, which are gone."""
        run = self._connection.execute
        with translated(self._path):
            attached = run(_ATTACHED, (TABLE,)).fetchall()
            for kind, name in attached:
                run(f"DROP {kind} {quoted(name)}")
            run(f"ALTER TABLE {TABLE} RENAME TO {_ASIDE}")
            table.name = _ASIDE
            schema.create(self._connection)
        return [f"{kind} {name}" for kind, name in attached]

    def backend(self) -> SqliteBackend:
        """The store inside the transaction."""
        return SqliteBackend(self._path, connection=self._connection)

    def commit(self) -> str:
        """Drops the plain table, gives the backup copy its name and makes everything lasting.
        Returns the path of the copy."""
        with translated(self._path):
            self._connection.execute(f"DROP TABLE {_ASIDE}")
            for table in ("versions", "blobs", "lines"):
                if self._connection.execute(f"PRAGMA foreign_key_check({table})").fetchone():
                    raise Damaged(f"a reference of {table} in {self._path} leads nowhere")
        backup = self._publish()
        with translated(self._path):
            self._connection.execute("COMMIT")
        self._committed = True
        return backup

    def _publish(self) -> str:
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        start = os.path.realpath(self._path)
        name, number = f"{start}.plain-{moment}.bak", 1
        while os.path.lexists(name):
            number += 1
            name = f"{start}.plain-{moment}-{number}.bak"
        self._backup = name
        try:
            os.rename(self._temporary, name)
            _sync_folder(os.path.dirname(name))
        except OSError as error:
            raise StorageFailed(
                f"the backup copy of {self._path} cannot be named {name}: "
                f"{error.strerror or error}; nothing was changed",
                path=self._path,
            ) from None
        return name

    def shrink(self) -> bool:
        """After the commit: gives the old table's pages back to the file system and chooses the
        journal mode of a new store. False where that has to wait: it needs room for two files,
        no other user at work, and no tables of others, whose row ids it could change."""
        shrunk = False
        with suppress(sqlite3.Error, OSError):
            size = os.path.getsize(self._path)
            room = shutil.disk_usage(os.path.dirname(os.path.realpath(self._path))).free
            if not self._others and room > 2 * size:
                self._connection.execute("PRAGMA page_size = 4096")
                self._connection.execute("VACUUM")
                shrunk = True
        with suppress(sqlite3.Error):
            mode = "WAL" if wants_wal(self._path) else "PERSIST"
            self._connection.execute(f"PRAGMA journal_mode = {mode}")
        return shrunk


def _own_names() -> set[str]:
    """What a store needs to be free in its file, in lower case."""
    sample = sqlite3.connect(":memory:")
    try:
        schema.create(sample)
        rows = sample.execute("SELECT lower(name) FROM sqlite_master").fetchall()
    finally:
        sample.close()
    return {_ASIDE} | {name for (name,) in rows if not name.startswith("sqlite_")}


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: str) -> None:
    """Makes a rename lasting. Windows neither needs this nor opens folders."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
