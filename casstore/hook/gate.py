"""The hook's process: ends a harmless call at once, and every call with exit code 0.

Reads the event, looks at its bytes, and imports the rest of the hook only where the call may be
high-value. `run` is the same without standard input, output and the end of the process.
"""

import sys
import time

from casstore._system import environment, system
from casstore.hook import deadline
from casstore.hook.scan import Options, may_matter, options_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_EVENT = 64 * 1024 * 1024
"""Bytes of an event. A longer one is judged by what it starts with."""

_CHUNK = 1 << 20


def main() -> None:
    """Handles the PreToolUse event on standard input; does not return.

    The process ends without the interpreter's clean-up, which costs 1.7 ms of a 9 ms start and
    has nothing to do here.
    """
    started = time.perf_counter_ns()
    answer = b""
    try:
        environ = environment()
        options = options_from(sys.argv[1:], environ)
        deadline.start(options.deadline, lambda: _too_late(options))
        answer = run(read_all(0), options, environ, started)
        deadline.stop()
    except BaseException as error:  # the host must see a message, never a traceback
        deadline.stop()
        answer = _unexpected(error)
    end(answer)


def run(data: bytes, options: "Options", environ: "Mapping[str, str]", started: int) -> bytes:
    """What the hook answers to an event. ``started``: ``time.perf_counter_ns`` at its start."""
    if not may_matter(data, options):
        return b""
    from casstore.hook.loading import JUDGING, load

    load(JUDGING)
    from casstore.hook.handling import handle

    return handle(data, options, environ, started)


def read_all(handle: int) -> bytes:
    """Everything on a pipe or file up to `MAX_EVENT` bytes; nothing where it is not open."""
    parts = []
    left = MAX_EVENT
    while left:
        try:
            part = system.read(handle, min(_CHUNK, left))
        except OSError:
            break
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def end(answer: bytes) -> None:
    """Writes the answer and ends the process."""
    try:
        while answer:
            answer = answer[system.write(1, answer) :]
    except OSError:  # the reader went away
        pass
    system._exit(0)


def _too_late(options: "Options") -> bytes:
    from casstore.hook.outcome import failed

    return failed(f"no checkpoint within {options.deadline:g} s", strict=options.strict)


def _unexpected(error: "BaseException") -> bytes:
    """The answer where the hook itself failed before it knew what the call was about."""
    options = options_from(sys.argv[1:], environment())
    if isinstance(error, deadline.Deadline):
        return _too_late(options)
    from casstore.hook.outcome import failed

    return failed(f"no checkpoint: {type(error).__name__}: {error}", strict=options.strict)
