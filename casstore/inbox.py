"""The inbox: a folder beside the store in which each capture is one complete, durable file.

A capture file appears under its final name only when all of it is on the disk, its name sorts by
the time of the capture and is never given twice, and what is read back was checked. The format is
in ``docs/hook.md``. Writing imports nothing but built-in modules and ``binascii``.
"""

import time

from casstore._system import WINDOWS, flag, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAGIC = b"CASCAP\x00\x01"
SUFFIX = ".capture"
TEMPORARY = ".partial"
BROKEN = "broken"
"""Folder in the inbox for captures that cannot be settled, each with a ``.reason`` file."""

PROBLEM = "problem"
"""File in the inbox that says in one line why settling fails, while it does."""

LOCK = "settling"
"""File in the inbox that a settling process holds locked."""

SESSIONS = "sessions"
"""Folder in the inbox with what the hook remembers of each session."""

MAX_HEADER = 8 << 20
MAX_BODY = 160 << 20
"""Bytes. Writers stay far below (`casstore.hook.capture`); readers refuse more."""

# magic, length of the header (4 bytes) and of the body (8), their CRC-32s (4 each), CRC-32 of
# all that (4): little-endian
_FRONT = 32


class BrokenCapture(Exception):
    """A file in the inbox is not a whole capture; the text says what is wrong with it."""


class Capture:
    """One capture. ``header`` is the JSON object of the hook, ``bodies`` the bytes of its
    ``files`` in their order, None where the file was absent."""

    __slots__ = ("bodies", "header", "name")

    def __init__(self, name: str, header: "dict[str, Any]", bodies: "list[bytes | None]") -> None:
        self.name = name
        self.header = header
        self.bodies = bodies


def inbox_of(store_path: str) -> str:
    """The inbox of a store: ``<file name>.inbox`` beside it."""
    return store_path + ".inbox"


def pending(store_path: str) -> bool:
    """True where a capture waits. One look at one folder; an error counts as nothing waiting."""
    try:
        with system.scandir(inbox_of(store_path)) as entries:
            return any(entry.name.endswith(SUFFIX) for entry in entries)
    except OSError:
        return False


def waiting(store_path: str) -> "list[str]":
    """The names of the captures that wait, in the order of their times. Raises ``OSError``."""
    try:
        names = system.listdir(inbox_of(store_path))
    except FileNotFoundError:
        return []
    return sorted(name for name in names if name.endswith(SUFFIX))


def make_folder(path: str) -> None:
    """Makes a folder and those above it that are missing, for the user alone."""
    try:
        system.mkdir(path, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        parent = path.rpartition("/")[0] if not WINDOWS else system.path.dirname(path)
        if not parent or parent == path:
            raise
        make_folder(parent)
        make_folder(path)


def new_name(captured_ns: int) -> str:
    """A name nobody else gives: time, process, 8 random bytes."""
    return f"{captured_ns:020d}-{system.getpid():x}-{system.urandom(8).hex()}{SUFFIX}"


def encoded(header: str, bodies: "Sequence[bytes | None]") -> "list[bytes]":
    """The parts of a capture file. ``header``: JSON text in which entry ``i`` of ``files`` has as
    ``size`` the length of ``bodies[i]``, or null."""
    text = header.encode()
    from binascii import crc32

    check = 0
    length = 0
    for body in bodies:
        if body is not None:
            check = crc32(body, check)
            length += len(body)
    front = (
        MAGIC
        + len(text).to_bytes(4, "little")
        + length.to_bytes(8, "little")
        + crc32(text).to_bytes(4, "little")
        + check.to_bytes(4, "little")
    )
    return [
        front + crc32(front).to_bytes(4, "little") + text,
        *[body for body in bodies if body],
    ]


def put(inbox: str, name: str, parts: "Sequence[bytes]") -> None:
    """Writes a capture into an inbox that exists; when this returns, it survives a crash.
    Raises ``OSError``; then there is no capture of this name."""
    partial = f"{inbox}/{name}{TEMPORARY}"
    final = f"{inbox}/{name}"
    flags = flag("O_WRONLY") | flag("O_CREAT") | flag("O_EXCL") | flag("O_CLOEXEC")
    handle = system.open(partial, flags | flag("O_NOFOLLOW") | flag("O_BINARY"), 0o600)
    try:
        try:
            for part in parts:
                _write(handle, part)
            system.fsync(handle)
        finally:
            system.close(handle)
        system.rename(partial, final)
    except BaseException:
        try:
            system.unlink(partial)
        except OSError:
            pass
        raise
    sync_folder(inbox)


def sync_folder(path: str) -> None:
    """Makes the names in a folder durable. Windows has no such call and keeps them itself."""
    if WINDOWS:
        return
    handle = system.open(path, flag("O_RDONLY") | flag("O_CLOEXEC"))
    try:
        system.fsync(handle)
    finally:
        system.close(handle)


def read(path: str) -> "Capture":
    """The capture in a file. Raises `BrokenCapture`, or ``OSError`` where it cannot be read."""
    from binascii import crc32

    data = _bytes_of(path)
    if data[:8] != MAGIC:
        raise BrokenCapture(f"it does not start as a capture does: {data[:8]!r}")
    numbers = [int.from_bytes(data[a:b], "little") for a, b in ((8, 12), (12, 20), (20, 24))]
    header_length, body_length, header_check = numbers
    body_check = int.from_bytes(data[24:28], "little")
    if crc32(data[:28]) != int.from_bytes(data[28:32], "little"):
        raise BrokenCapture("its first 32 bytes are damaged")
    if header_length > MAX_HEADER or len(data) != _FRONT + header_length + body_length:
        raise BrokenCapture(
            f"it is {len(data)} bytes where {_FRONT + header_length + body_length} were written"
        )
    text = data[_FRONT : _FRONT + header_length]
    body = memoryview(data)[_FRONT + header_length :]
    if crc32(text) != header_check:
        raise BrokenCapture("its header is damaged")
    if crc32(body) != body_check:
        raise BrokenCapture("the bytes of its files are damaged")
    header = _header(text)
    return Capture(path.replace("\\", "/").rpartition("/")[2], header, _bodies(header, body))


def age(name: str, now_ns: "int | None" = None) -> "float | None":
    """Seconds since the capture of this name was made; None where it is not a capture's name."""
    digits = name[:20]
    if not (digits.isascii() and digits.isdigit() and name.endswith(SUFFIX)):
        return None
    return ((time.time_ns() if now_ns is None else now_ns) - int(digits)) / 1e9


def _write(handle: int, data: bytes) -> None:
    done = system.write(handle, data)
    while done < len(data):
        done += system.write(handle, memoryview(data)[done:])


def _bytes_of(path: str) -> bytes:
    flags = flag("O_RDONLY") | flag("O_NOFOLLOW") | flag("O_NONBLOCK") | flag("O_CLOEXEC")
    handle = system.open(path, flags | flag("O_BINARY"))
    try:
        status = system.fstat(handle)
        if status.st_mode & 0o170000 != 0o100000:
            raise BrokenCapture("it is not a regular file")
        limit = _FRONT + MAX_HEADER + MAX_BODY
        if status.st_size > limit:
            raise BrokenCapture(f"it is {status.st_size} bytes; a capture has at most {limit}")
        parts = []
        left = limit + 1
        while left:
            part = system.read(handle, min(1 << 20, left))
            if not part:
                break
            parts.append(part)
            left -= len(part)
    finally:
        system.close(handle)
    return b"".join(parts)


def _header(text: bytes) -> "dict[str, Any]":
    import json

    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BrokenCapture(f"its header is no JSON: {error}") from None
    if not isinstance(header, dict) or header.get("format") != 1:
        raise BrokenCapture("its header is of a format that this release does not read")
    return header


def _bodies(header: "dict[str, Any]", body: memoryview) -> "list[bytes | None]":
    files = header.get("files")
    if not isinstance(files, list):
        raise BrokenCapture("its header lists no files")
    bodies: list[bytes | None] = []
    start = 0
    for entry in files:
        size = entry.get("size", -1) if isinstance(entry, dict) else -1
        if size is None:
            bodies.append(None)
            continue
        if type(size) is not int or not 0 <= size <= len(body) - start:
            raise BrokenCapture(f"its header gives a file of {size!r} bytes")
        bodies.append(bytes(body[start : start + size]))
        start += size
    if start != len(body):
        raise BrokenCapture(f"{len(body) - start} bytes belong to no file")
    return bodies
