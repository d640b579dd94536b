"""Remembers which project a session last captured, for commands that name none.

One small file per session in the inbox, written at captures. Losing it costs a guess, so it is
not synced; settling removes those not touched for a month.
"""

from casstore._system import flag, system
from casstore.inbox import SESSIONS

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_LIMIT = 8192


class Memory:
    """What is known of a session. ``folder``: the inputs folder of the project last captured,
    relative to the root, or empty. ``left_out``: mark of what was last reported as left out.
    ``touched_ns``: when it was last captured, 0 for never."""

    __slots__ = ("folder", "left_out", "project", "touched_ns")

    def __init__(
        self, project: str = "", folder: str = "", left_out: str = "", touched_ns: int = 0
    ) -> None:
        self.project = project
        self.folder = folder
        self.left_out = left_out
        self.touched_ns = touched_ns


def file_of(inbox: str, session_id: str) -> str:
    """The session's file. Labels are anybody's text, so only plain short ones are used as they
    are; others as a number that two labels may share, which costs a wrong guess at worst."""
    if 0 < len(session_id) <= 64 and _SAFE.issuperset(session_id):
        return f"{inbox}/{SESSIONS}/{session_id}"
    from binascii import crc32

    data = session_id.encode("utf-8", "surrogatepass")
    return f"{inbox}/{SESSIONS}/={len(data):x}-{crc32(data):08x}-{crc32(data[::-1]):08x}"


def recall(inbox: str, session_id: str) -> "Memory":
    """What is remembered; an empty `Memory` where that is nothing or unreadable."""
    try:
        handle = system.open(
            file_of(inbox, session_id),
            flag("O_RDONLY") | flag("O_NOFOLLOW") | flag("O_NONBLOCK") | flag("O_CLOEXEC"),
        )
        try:
            data = system.read(handle, _LIMIT + 1)
            touched = system.fstat(handle).st_mtime_ns
        finally:
            system.close(handle)
        lines = data.decode("utf-8", "surrogateescape").split("\n")
    except (OSError, ValueError):
        return Memory()
    if len(data) > _LIMIT or len(lines) != 5 or lines[0] != "1":
        return Memory()
    return Memory(lines[1], lines[2], lines[3], touched)


def remember(inbox: str, session_id: str, memory: "Memory", known: "Memory", now_ns: int) -> None:
    """Keeps ``memory``; where it equals what is ``known`` only the time is set. Never raises."""
    path = file_of(inbox, session_id)
    lines = (memory.project, memory.folder, memory.left_out)
    if any("\n" in line for line in lines):
        return
    text = "\n".join(("1", *lines, ""))
    try:
        if known.touched_ns and lines == (known.project, known.folder, known.left_out):
            system.utime(path, ns=(now_ns, now_ns))
            return
        data = text.encode("utf-8", "surrogateescape")
        if len(data) > _LIMIT:
            return
        _replace(path, data, now_ns)
    except FileNotFoundError:
        try:
            system.mkdir(f"{inbox}/{SESSIONS}", 0o700)
            _replace(path, text.encode("utf-8", "surrogateescape"), now_ns)
        except (OSError, ValueError):
            return
    except (OSError, ValueError):
        return


def _replace(path: str, data: bytes, now_ns: int) -> None:
    partial = f"{path}.{system.getpid():x}"
    flags = flag("O_WRONLY") | flag("O_CREAT") | flag("O_TRUNC") | flag("O_CLOEXEC")
    handle = system.open(partial, flags | flag("O_NOFOLLOW") | flag("O_BINARY"), 0o600)
    try:
        system.write(handle, data)
    finally:
        system.close(handle)
    system.utime(partial, ns=(now_ns, now_ns))
    system.replace(partial, path)
