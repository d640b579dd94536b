"""Starts the process that settles: on its own, with none of the caller's streams, at most one.

The starter takes the lock of the inbox and hands it to the process it starts, so that there is no
moment in which two would be started, and a process that dies gives the lock back whatever it died
of. Where locks cannot be handed on, a marker file that goes stale takes their place.

For processes that end soon: nobody waits for the child here.
"""

import sys
import time

from casstore._system import WINDOWS, environment, flag, system
from casstore.inbox import LOCK, inbox_of, make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STALE_SECONDS = 60.0
"""Age at which a marker file is taken for that of a dead process. A live one renews it."""

PYTHON_VARIABLE = "CASSTORE_PYTHON"
"""Names another interpreter for settling, where the hook's own lacks the libraries."""


# Without -I and -S, which the hook itself runs with: zstandard and orjson are where the
# interpreter's site-packages are. The first entry of the path is the working folder, which may be
# anybody's.
_CODE = (
    "import sys; sys.path[0] = sys.argv[1]; from casstore.settler import main; main(sys.argv[2:])"
)


def start_settling(store_path: str) -> bool:
    """Starts settling for the store; False where it is under way. Raises ``OSError``."""
    inbox = inbox_of(store_path)
    lock = take_lock(inbox)
    if lock is None:
        return False
    python = environment().get(PYTHON_VARIABLE) or sys.executable
    if not python:
        raise OSError(2, "this interpreter does not know its own path; settle by reading")
    root = __file__.replace("\\", "/").rsplit("/", 2)[0]
    arguments = [python, "-c", _CODE, root, store_path, str(lock)]
    try:
        if WINDOWS:
            _start_windows(arguments)
        else:
            _start_posix(arguments, lock)
    except BaseException:
        give_back(inbox, lock)
        raise
    if lock >= 0:
        system.close(lock)  # the child's copy keeps it locked
    return True


def take_lock(inbox: str) -> "int | None":
    """The lock as an open file, which a child may inherit, -1 where it is a marker file; None
    where another process has it. Makes the inbox where it is missing."""
    path = f"{inbox}/{LOCK}"
    flags = flag("O_RDWR") | flag("O_CREAT") | flag("O_CLOEXEC") | flag("O_NOFOLLOW")
    try:
        import fcntl
    except ImportError:
        return -1 if _take_marker(inbox) else None
    try:
        handle: int = system.open(path, flags, 0o600)
    except FileNotFoundError:
        make_folder(inbox)
        handle = system.open(path, flags, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        system.close(handle)
        return None
    except OSError:  # a file system without locks: rather one process too many than none
        pass
    return handle


def give_back(inbox: str, lock: int) -> None:
    """Ends what `take_lock` began."""
    try:
        if lock >= 0:
            system.close(lock)
        else:
            system.unlink(f"{inbox}/{LOCK}.marker")
    except OSError:
        return


def renew(inbox: str, lock: int) -> None:
    """Keeps a marker file from going stale; a lock needs nothing."""
    if lock < 0:
        try:
            system.utime(f"{inbox}/{LOCK}.marker")
        except OSError:
            return


def _take_marker(inbox: str) -> bool:
    path = f"{inbox}/{LOCK}.marker"
    for _ in range(2):
        try:
            system.close(
                system.open(path, flag("O_WRONLY") | flag("O_CREAT") | flag("O_EXCL"), 0o600)
            )
            return True
        except FileNotFoundError:
            make_folder(inbox)
        except FileExistsError:
            try:
                if time.time() - system.stat(path).st_mtime < STALE_SECONDS:
                    return False
                system.unlink(path)
            except OSError:
                return False
    return False


def _start_posix(arguments: "Sequence[str]", lock: int) -> None:
    """Own session, ``/dev/null`` for the three streams, every other open file closed but the
    lock: the host waits for all copies of the hook's pipes to close."""
    environ = dict(system.environ)
    if lock >= 0:
        system.set_inheritable(lock, True)
    try:
        kept = [number for number in _open_files() if number not in (0, 1, 2, lock)]
        actions: list[tuple[object, ...]] = [
            (system.POSIX_SPAWN_OPEN, number, "/dev/null", flag("O_RDWR"), 0) for number in range(3)
        ]
        actions += [(system.POSIX_SPAWN_CLOSE, number) for number in kept]
        system.posix_spawn(arguments[0], arguments, environ, file_actions=actions, setsid=True)
    except (AttributeError, NotImplementedError):  # no posix_spawn, or none with setsid
        _fork(arguments, environ, lock)


def _open_files() -> "list[int]":
    """The inheritable files of this process."""
    try:
        numbers = [int(name) for name in system.listdir("/dev/fd")]
    except (OSError, ValueError):
        return []
    found = []
    for number in numbers:
        try:
            if system.get_inheritable(number):
                found.append(number)
        except OSError:  # the one that listed the folder
            continue
    return found


def _fork(arguments: "Sequence[str]", environ: object, lock: int) -> None:
    if system.fork():
        return
    try:
        system.setsid()
        for number in range(3):
            system.dup2(system.open("/dev/null", flag("O_RDWR")), number)
        for number in _open_files():
            if number not in (0, 1, 2, lock):
                system.close(number)
        system.execve(arguments[0], arguments, environ)
    finally:
        system._exit(127)


def _start_windows(arguments: "Sequence[str]") -> None:
    import subprocess

    flags = ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")
    subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        creationflags=sum(getattr(subprocess, name, 0) for name in flags[:2]),
    )
