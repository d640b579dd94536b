"""Files of a project, by relative path: read and written whole, and never outside the project.

Where the system allows it (not on Windows), folders are opened one by one without following
links, so that nobody can put a link in the way between the check and the use. Elsewhere the
resolved path is checked.
"""

from __future__ import annotations

import contextlib
import os
import stat
from contextlib import contextmanager

from casstore.errors import CasstoreError, StorageFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_STEPWISE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class OutsideProject(CasstoreError):
    """A path that leads, or might lead, out of the project: absolute, with ``..``, over a link,
    or to something that is no ordinary file."""

    code = "outside_project"
    exit_code = 2


class Workspace:
    """The files under ``root``, an absolute path. Paths are relative, with forward slashes."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none. Raises `OutsideProject`."""
        try:
            with self._folder(path, make=False) as (folder, name):
                flags = os.O_RDONLY | _NO_FOLLOW | _BINARY | getattr(os, "O_NONBLOCK", 0)
                handle = self._open(folder, name, flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._refused(path, error) from None
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OutsideProject(f"{path} is no ordinary file; it is left alone", path=path)
            return file.read()

    def write(self, path: str, data: bytes) -> None:
        """Makes ``data`` the content of a file, at once and durably; missing folders are made. An
        existing file keeps its mode. Raises `OutsideProject`, `StorageFailed`."""
        try:
            with self._folder(path, make=True) as (folder, name):
                mode = self._mode(folder, name, path)
                temporary = f".casstore-{os.urandom(6).hex()}.tmp"
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
                handle = self._open(folder, temporary, flags)
                try:
                    with open(handle, "wb") as file:
                        file.write(data)
                        file.flush()
                        if mode is not None and hasattr(os, "fchmod"):
                            os.fchmod(file.fileno(), mode)
                        os.fsync(file.fileno())
                    self._replace(folder, temporary, name)
                except BaseException:
                    with contextlib.suppress(OSError):
                        self._unlink(folder, temporary)
                    raise
                self._sync(folder)
        except OSError as error:
            raise self._refused(path, error) from None

    def remove(self, path: str) -> None:
        """Removes a file; it may be gone already. Raises `OutsideProject`, `StorageFailed`."""
        try:
            with self._folder(path, make=False) as (folder, name):
                self._mode(folder, name, path)
                self._unlink(folder, name)
                self._sync(folder)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise self._refused(path, error) from None

    @contextmanager
    def _folder(self, path: str, *, make: bool) -> Iterator[tuple[int | str, str]]:
        """The folder of a path, open (or, where folders cannot be opened, by name), and the
        file's name in it."""
        parts = path.replace("\\", "/").split("/") if os.name == "nt" else path.split("/")
        if not path or "\x00" in path or any(part in ("", ".", "..") for part in parts):
            raise OutsideProject(f"{path!r} is no path inside the project", path=path)
        if os.name == "nt" and ":" in path:
            raise OutsideProject(f"{path!r} names a drive or a stream", path=path)
        if not _STEPWISE:
            yield self._checked(parts, path, make), parts[-1]
            return
        handle = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in parts[:-1]:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, dir_fd=handle)
                deeper = _deeper(handle, part, path)
                os.close(handle)
                handle = deeper
            yield handle, parts[-1]
        finally:
            os.close(handle)

    def _checked(self, parts: list[str], path: str, make: bool) -> str:
        folder = os.path.join(self.root, *parts[:-1])
        if make:
            os.makedirs(folder, exist_ok=True)
        resolved = os.path.realpath(os.path.join(folder, parts[-1]))
        if os.path.normcase(resolved) != os.path.normcase(os.path.join(self.root, *parts)):
            raise OutsideProject(f"{path} leads over a link; it is left alone", path=path)
        return folder

    def _open(self, folder: int | str, name: str, flags: int) -> int:
        if isinstance(folder, int):
            return os.open(name, flags, 0o666, dir_fd=folder)
        return os.open(os.path.join(folder, name), flags, 0o666)

    def _mode(self, folder: int | str, name: str, path: str) -> int | None:
        """The permission bits of an existing ordinary file."""
        try:
            if isinstance(folder, int):
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            else:
                found = os.lstat(os.path.join(folder, name))
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise OutsideProject(f"{path} is no ordinary file; it is left alone", path=path)
        return stat.S_IMODE(found.st_mode)

    def _replace(self, folder: int | str, old: str, new: str) -> None:
        if isinstance(folder, int):
            os.replace(old, new, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            os.replace(os.path.join(folder, old), os.path.join(folder, new))

    def _unlink(self, folder: int | str, name: str) -> None:
        if isinstance(folder, int):
            os.unlink(name, dir_fd=folder)
        else:
            os.unlink(os.path.join(folder, name))

    def _sync(self, folder: int | str) -> None:
        """Makes the names survive power loss, where folders can be synced."""
        if isinstance(folder, int):
            with contextlib.suppress(OSError):
                os.fsync(folder)

    def _refused(self, path: str, error: OSError) -> CasstoreError:
        import errno

        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
            return OutsideProject(
                f"{path} leads over a link or a file; it is left alone", path=path
            )
        return StorageFailed(
            f"{path} cannot be read or written: {error.strerror or error}; it is as it was",
            path=path,
        )


def _deeper(handle: int, part: str, path: str) -> int:
    """Opens a folder in the open folder ``handle``, unless it is a link."""
    try:
        return os.open(part, os.O_RDONLY | os.O_DIRECTORY | _NO_FOLLOW, dir_fd=handle)
    except NotADirectoryError:  # what a link is called depends on the system
        if stat.S_ISLNK(os.stat(part, dir_fd=handle, follow_symlinks=False).st_mode):
            raise OutsideProject(f"{path} leads over a link; it is left alone", path=path) from None
        raise
