"""Reads and writes the files that a command line names: whole, or a clear error and no change."""

from __future__ import annotations

import contextlib
import os
import stat
import sys

from casstore.errors import DocumentTooLarge, StorageFailed, UsageError

STDIN = "-"


class FileExists(UsageError):
    """The file to write is there already and ``--force`` was not given."""

    code = "file_exists"


def read(name: str, limit: int) -> bytes:
    """The bytes of a file, or of stdin for ``-``.

    Raises `UsageError` where it cannot be read, `DocumentTooLarge` above ``limit`` bytes.
    """
    if name == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("stdin is a terminal; name a file or pipe one in")
        data = sys.stdin.buffer.read(limit + 1)
    else:
        try:
            with open(name, "rb") as file:
                data = file.read(limit + 1)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"{name} cannot be read: {reason}", path=name) from None
    if len(data) > limit:
        raise DocumentTooLarge(
            f"{shown(name)} is larger than {limit:,} bytes, which is all that casstore keeps",
            limit=limit,
        )
    return data


def shown(name: str) -> str:
    """What to call an input in messages."""
    return "stdin" if name == STDIN else name


def path_in_project(name: str, root: str) -> str | None:
    """The path to record for a file: relative to the project root, with forward slashes; None
    for stdin, for a file outside, and for a name that is no text."""
    if name == STDIN:
        return None
    path, root = os.path.realpath(name), os.path.realpath(root)
    try:
        if os.path.commonpath((path, root)) != root:
            return None
        return os.fsencode(os.path.relpath(path, root)).decode().replace(os.sep, "/")
    except ValueError:  # another drive; a name that is not UTF-8
        return None


def write(name: str, data: bytes, *, force: bool) -> None:
    """Writes a file at once: at any moment, and after a crash, it holds what it held or all of
    ``data``. An existing file keeps its mode; a link stays and the file it names is written.

    Raises `FileExists` without ``force``, `UsageError` for a name that cannot be a file,
    `StorageFailed` where the disk refuses.
    """
    target = os.path.realpath(name)
    mode = _mode_of(target, name)
    if mode is not None and not force:
        raise FileExists(f"{name} exists already; add --force to replace it", path=name)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {folder}; make it first", path=name)
    temporary = os.path.join(folder, f".casstore-{os.urandom(6).hex()}.tmp")
    try:
        _write_durably(temporary, data, mode)
        try:
            _put_in_place(temporary, target, name, force)
        except BaseException:
            os.unlink(temporary)
            raise
        _sync_folder(folder)
    except OSError as error:
        raise StorageFailed(
            f"{name} cannot be written: {error.strerror or error}; it is as it was", path=name
        ) from None


def _mode_of(target: str, name: str) -> int | None:
    """The permission bits of an existing file, None where there is none."""
    try:
        mode = os.stat(target).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{name} cannot be written: {reason}", path=name) from None
    if stat.S_ISDIR(mode):
        raise UsageError(f"{name} is a folder; name a file in it", path=name)
    if not stat.S_ISREG(mode):
        raise UsageError(f"{name} is no ordinary file; redirect stdout to it instead", path=name)
    return stat.S_IMODE(mode)


def _write_durably(path: str, data: bytes, mode: int | None) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o666)  # less the umask, as for any new file
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(path, mode)
    except BaseException:
        os.unlink(path)
        raise


def _put_in_place(temporary: str, target: str, name: str, force: bool) -> None:
    """Without ``force`` a link, which fails where somebody made the file meanwhile; file systems
    without links leave that moment open."""
    if not force:
        try:
            os.link(temporary, target)
        except FileExistsError:
            raise FileExists(
                f"{name} exists already; add --force to replace it", path=name
            ) from None
        except (OSError, AttributeError, NotImplementedError):
            pass
        else:
            with contextlib.suppress(OSError):  # it is written; a leftover name harms nobody
                os.unlink(temporary)
            return
    os.replace(temporary, target)


def _sync_folder(folder: str) -> None:
    """Makes the new name survive power loss, where folders can be synced: not on Windows, nor on
    every network file system. The file is in place by now."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
