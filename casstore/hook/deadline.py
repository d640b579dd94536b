"""Bounds the time of a hook: `Deadline` is raised in the main thread when it runs out.

On POSIX systems a timer signal interrupts also a system call that waits (a pipe, a network file
system); one that the kernel does not interrupt (a hanging disk) ends when the kernel lets it.
Windows has no such timer: there a thread answers and ends the process.
"""

from casstore._system import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as signals
    from collections.abc import Callable
else:
    import _signal as signals  # in every process from its start; ``signal`` pulls in ``enum``

READING_SHARE = 0.75
"""The timer goes off first at this share, which leaves time to keep what was read, then at 1."""


class Deadline(BaseException):
    """The time is over. No ``Exception``, so that nothing but its handler holds it up."""


def start(seconds: float, answer: "Callable[[], bytes]") -> None:
    """Starts the clock. ``answer`` makes what a thread writes where there is no timer."""
    if not hasattr(signals, "setitimer"):
        watch(seconds, answer)
        return
    signals.signal(signals.SIGALRM, _expired)
    signals.pthread_sigmask(signals.SIG_UNBLOCK, (signals.SIGALRM,))
    first = seconds * READING_SHARE
    signals.setitimer(signals.ITIMER_REAL, first, seconds - first)


def stop() -> None:
    """Stops the clock. A thread's goes on: the process is about to end."""
    if hasattr(signals, "setitimer"):
        signals.setitimer(signals.ITIMER_REAL, 0)


def watch(seconds: float, answer: "Callable[[], bytes]") -> None:
    """Starts a thread that answers and ends the process when the time is over."""
    import _thread

    def wait() -> None:
        never = _thread.allocate_lock()
        never.acquire()
        never.acquire(True, seconds)
        try:
            system.write(1, answer())
        finally:
            system._exit(0)

    _thread.start_new_thread(wait, ())


def _expired(number: int, frame: object) -> None:
    raise Deadline
