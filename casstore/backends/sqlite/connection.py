"""Opens a SQLite file the same way everywhere, and turns its errors into casstore's.

Each setting is a function with its reason, so that the whole of what a connection is set to can
be read in `SETTINGS`.
"""

from __future__ import annotations

import os
import sqlite3
import sys

from casstore.errors import (
    CasstoreError,
    Damaged,
    FormatNotSupported,
    NoStore,
    StorageFailed,
    StoreBusy,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

# From 3.7.0 to 3.51.2 a checkpoint that meets a reset of the log can lose committed pages:
# https://sqlite.org/wal.html#walresetbug
WAL_IS_SOUND = (3, 51, 3)

_REMOTE = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "glusterfs",
        "lustre",
        "sshfs",
    ]
)


def foreign_keys_on(connection: sqlite3.Connection) -> None:
    """References are kept by the engine (https://sqlite.org/foreignkeys.html); off by default."""
    connection.execute("PRAGMA foreign_keys = ON")


def synchronous_full(connection: sqlite3.Connection) -> None:
    """An acknowledged save survives power loss (https://sqlite.org/pragma.html#pragma_synchronous).
    Some builds default to NORMAL, which in WAL mode does not promise that."""
    connection.execute("PRAGMA synchronous = FULL")


def journal_kept(connection: sqlite3.Connection) -> None:
    """Where the file is not in WAL mode, the rollback journal is kept and its header zeroed:
    the cheapest of the three ways to end a transaction (measured 0.87 of DELETE)."""
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if mode not in ("wal", "persist"):
        connection.execute("PRAGMA journal_mode = PERSIST")


def schema_not_trusted(connection: sqlite3.Connection) -> None:
    """A file from a stranger cannot call functions from its views, triggers or indexes
    (https://sqlite.org/pragma.html#pragma_trusted_schema)."""
    connection.execute("PRAGMA trusted_schema = OFF")


def readers_not_held_up(connection: sqlite3.Connection) -> None:
    """A transaction larger than the page cache (2 MB) would write to the file before its commit
    and lock readers out from then on (https://sqlite.org/pragma.html#pragma_cache_spill). Only
    one above 60,000 pages (240 MB), which saves do not reach, may. (SQLite takes a multiple of
    256 pages for "never".)"""
    connection.execute("PRAGMA cache_spill = 60000")


SETTINGS = (
    foreign_keys_on,
    synchronous_full,
    journal_kept,
    readers_not_held_up,
    schema_not_trusted,
)

# The documented view calls casstore's functions, which only a trusted schema may.
VIEW_SETTINGS = (foreign_keys_on, synchronous_full, journal_kept, readers_not_held_up)


def open_file(
    path: str,
    *,
    timeout: float,
    create: bool,
    settings: tuple[Callable[[sqlite3.Connection], None], ...] = SETTINGS,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
    isolation_level: Literal["DEFERRED", "EXCLUSIVE", "IMMEDIATE"] | None = None,
    check_same_thread: bool = False,
) -> sqlite3.Connection:
    """A connection to ``path`` with ``settings`` made; ``timeout`` in seconds is how long any
    statement waits for a lock. Raises `NoStore` where there is no file and ``create`` is false.
    """
    if not os.path.exists(path):
        if not create:
            raise NoStore(f"there is no store at {path}; the first save makes one", path=path)
        _create_private(path)
    with translated(path):
        connection = sqlite3.connect(
            path,
            timeout=timeout,
            isolation_level=isolation_level,
            check_same_thread=check_same_thread,
            factory=factory,
        )
        try:
            for setting in settings:
                setting(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _create_private(path: str) -> None:
    """Makes the file and its missing folders readable by the user alone: workflows carry secrets.
    Folders that exist keep their modes."""
    folder = os.path.dirname(path) or "."
    try:
        missing = []
        while folder and not os.path.isdir(folder):
            missing.append(folder)
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent
        for folder in reversed(missing):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                if not os.path.isdir(folder):
                    raise
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise StorageFailed(
            f"the store cannot be made at {path}: {error.strerror or error}", path=path
        ) from None


def wants_wal(path: str) -> bool:
    """The rule: WAL only where SQLite's is sound and the file system is known to be local."""
    return sqlite3.sqlite_version_info >= WAL_IS_SOUND and is_local(path)


def is_local(path: str) -> bool:
    """False where the file may lie on a network: shared memory, which WAL needs, fails there."""
    path = os.path.realpath(path)
    if sys.platform == "win32":
        return not path.startswith("\\\\")
    if sys.platform == "darwin":
        return not path.startswith(("/Volumes/", "/Network/"))
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            lines = [line.split() for line in mounts]
    except OSError:
        return False
    best, kind = "", ""
    for fields in lines:
        point = fields[4].replace("\\040", " ")
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[fields.index("-") + 1]
    return kind not in _REMOTE and not kind.startswith("fuse")


class translated:  # used as a function is
    """``with translated(path): …`` raises casstore's error for an error of SQLite's, naming the
    store. A class, for every statement of a save passes here: a generator costs 2 µs more."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise error_for(error, self._path) from error


# SQLite's own result texts (sqlite3_errstr), the same in every version; result codes are on the
# exception from Python 3.11 only.
_KINDS: tuple[tuple[str, type[CasstoreError], str], ...] = (
    ("is locked", StoreBusy, "another process is using the store at {path}; try again"),
    ("is not a database", FormatNotSupported, "{path} is not a SQLite file, so not a store"),
    (
        "disk image is malformed",
        Damaged,
        "the SQLite file at {path} is damaged ({error}); keep a copy before anything else",
    ),
    (
        "Could not decode",
        Damaged,
        "the store at {path} holds text that is not UTF-8 where casstore wrote something else",
    ),
    ("disk is full", StorageFailed, "the disk that holds {path} is full; nothing was changed"),
    ("readonly", StorageFailed, "the store at {path} cannot be written: it is read-only"),
    ("unable to open", StorageFailed, "the store at {path} cannot be opened ({error})"),
    ("disk I/O error", StorageFailed, "the disk that holds {path} fails: {error}"),
)


def error_for(error: sqlite3.Error, path: str) -> CasstoreError:
    """The typed error for one of SQLite's."""
    if isinstance(error, CasstoreError):
        return error
    text = str(error)
    for mark, kind, message in _KINDS:
        if mark in text:
            return kind(message.format(path=path, error=text), path=path)
    return StorageFailed(f"SQLite failed on the store at {path}: {text}", path=path)
