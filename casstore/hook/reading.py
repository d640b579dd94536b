"""Reads files of the project for a capture: never outside the root, never more than agreed.

Every part of a path is opened from its parent without following links, so that a link put in
place between the check and the read leads nowhere. Pipes and devices are never waited for.
"""

from casstore._system import WINDOWS, flag, system
from casstore.hook import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

ABSENT = "absent"
"""Not a refusal: the file does not exist."""

MAX_DEPTH = 16
"""Folders below an inputs folder that a listing goes down."""

MAX_ENTRIES = 5000
"""Names that one listing looks at."""

_CHUNK = 1 << 20
_FILE_FLAGS = (
    flag("O_RDONLY")
    | flag("O_NOFOLLOW")
    | flag("O_NONBLOCK")
    | flag("O_CLOEXEC")
    | flag("O_BINARY")
)
_FOLDER_FLAGS = flag("O_RDONLY") | flag("O_NOFOLLOW") | flag("O_DIRECTORY") | flag("O_CLOEXEC")
_REGULAR, _FOLDER, _LINK, _KIND = 0o100000, 0o040000, 0o120000, 0o170000


class Refused(Exception):
    """A file is not read; the reason is one of the words in ``docs/hook.md``. `ABSENT` is one."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Content:
    """The bytes of a file, and whether it changed while it was read."""

    __slots__ = ("changing", "data")

    def __init__(self, data: bytes, changing: bool) -> None:
        self.data = data
        self.changing = changing


class Root:
    """The project's root folder, resolved. Close it, or let the process end."""

    def __init__(self, path: str) -> None:
        self.path = paths.resolved(path)
        self.cut_short = False
        """True after a listing that stopped at `MAX_ENTRIES`."""
        self._folder = -1 if WINDOWS else system.open(self.path, _FOLDER_FLAGS)

    def close(self) -> None:
        if self._folder >= 0:
            system.close(self._folder)
            self._folder = -1

    def relative(self, path: str) -> str:
        """An absolute path relative to the root, every link followed. Raises `Refused`:
        ``outside``, or ``invalid`` for what cannot be a path."""
        try:
            found = paths.below(self.path, paths.resolved(path))
        except OSError:
            raise Refused("invalid") from None
        except ValueError:  # NUL, or surrogates that no file name can hold
            raise Refused("invalid") from None
        if not found:
            raise Refused("outside")
        return found

    def read(self, relative: str, limit: int) -> "Content":
        """The bytes of the regular file at ``relative``. Raises `Refused`: ``absent``,
        ``outside`` (a link on the way), ``not_a_file``, ``too_large`` (above ``limit`` bytes),
        ``unreadable``."""
        try:
            handle = self._open(relative)
        except OSError as error:
            raise Refused(_reason(error)) from None
        except ValueError:
            raise Refused("invalid") from None
        try:
            before = system.fstat(handle)
            if before.st_mode & _KIND != _REGULAR:
                raise Refused("not_a_file")
            if before.st_size > limit:
                raise Refused("too_large")
            data = _read(handle, before.st_size, limit)
            after = system.fstat(handle)
        except OSError as error:
            raise Refused(_reason(error)) from None
        finally:
            system.close(handle)
        if len(data) > limit:
            raise Refused("too_large")
        changed = before.st_mtime_ns != after.st_mtime_ns or len(data) != after.st_size
        return Content(data, changed)

    def _open(self, relative: str) -> int:
        if WINDOWS:
            return int(system.open(f"{self.path}/{relative}", _FILE_FLAGS))
        folder = self._folder
        parts = relative.split("/")
        try:
            for part in parts[:-1]:
                deeper = system.open(part, _FOLDER_FLAGS, dir_fd=folder)
                if folder != self._folder:
                    system.close(folder)
                folder = deeper
            return int(system.open(parts[-1], _FILE_FLAGS, dir_fd=folder))
        finally:
            if folder != self._folder:
                system.close(folder)

    def files(self, relative: str) -> "Iterator[tuple[str, int, int]]":
        """Path, size and time of the last change (ns) of the regular files under a folder, in the
        order of their names; size -1 for a link, which is not followed. At most `MAX_ENTRIES`
        names are looked at."""
        waiting = [(relative, 0)]
        seen = 0
        while waiting:
            folder, depth = waiting.pop()
            try:
                entries = sorted(system.listdir(f"{self.path}/{folder}"))
            except OSError:
                continue
            deeper = []
            for name in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    self.cut_short = True
                    return
                path = f"{folder}/{name}"
                try:
                    status = system.lstat(f"{self.path}/{path}")
                except OSError:
                    continue
                kind = status.st_mode & _KIND
                if kind == _REGULAR:
                    yield path, status.st_size, max(status.st_mtime_ns, status.st_ctime_ns)
                elif kind == _FOLDER and depth < MAX_DEPTH:
                    deeper.append((path, depth + 1))
                elif kind == _LINK:
                    yield path, -1, 0
            waiting += reversed(deeper)


def _read(handle: int, size: int, limit: int) -> bytes:
    """Up to one byte more than ``limit``: a file that grows while it is read ends somewhere."""
    parts = []
    total = 0
    # a buffer of the file's size: one of 1 MiB costs 0.05 ms more for a file of 100 KB
    wanted = min(size, limit) + 1
    while part := system.read(handle, wanted):
        parts.append(part)
        total += len(part)
        wanted = min(_CHUNK if total > size else size + 1 - total, limit + 1 - total)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _reason(error: "OSError") -> str:
    import errno

    if error.errno == errno.ENOENT:
        return ABSENT
    if error.errno == errno.ELOOP:
        return "outside"
    # a link in place of a folder is ENOTDIR: never `ABSENT`, which going back would remove
    return (
        "not_a_file" if error.errno in (errno.ENOTDIR, errno.EISDIR, errno.ENXIO) else "unreadable"
    )
