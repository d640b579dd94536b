"""What the hook answers: nothing, a message for the user, or (in strict mode alone) a refusal.

In Claude Code ``permissionDecision: "allow"`` approves the call and skips the user's permission
prompt. A checkpoint has no opinion on whether a call may happen, so `allow` is "no objection":
exit code 0 and not one byte on stdout.
"""

import time

from casstore._system import flag, system
from casstore.hook.jsonio import dumps

MESSAGE_LIMIT = 500
"""Bytes of an answer, JSON and all, are fewer than this."""

LOG_LIMIT = 64 * 1024
"""Bytes of the log beside the store; one older log of that size is kept."""


class CannotCapture(Exception):
    """A checkpoint was due and could not be made; the text tells the user why."""


def allow(reason: str) -> bytes:
    """No objection: empty, whatever the reason."""
    return b""


def warn(reason: str) -> bytes:
    """The call goes on, and the user is shown the reason."""
    return _bounded('{"systemMessage":%s}\n', f"casstore: {reason}")


def deny(reason: str) -> bytes:
    """The call is refused. For strict mode only: see `failed`."""
    return _bounded(
        '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
        '"permissionDecisionReason":%s}}\n',
        f"casstore (strict mode): {reason}",
    )


def failed(reason: str, *, strict: bool) -> bytes:
    """A checkpoint that was due was not made."""
    return deny(reason) if strict else warn(reason)


def log(store_path: str, line: str) -> None:
    """Adds one line to ``<store>.hook.log``: time, process, what happened; no document, command
    or prompt text. Never raises, and makes no folder."""
    path = store_path + ".hook.log"
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = ascii(line)[1:-1][:2000]
    flags = flag("O_WRONLY") | flag("O_CREAT") | flag("O_APPEND") | flag("O_CLOEXEC")
    try:
        handle = system.open(path, flags | flag("O_NOFOLLOW") | flag("O_NONBLOCK"), 0o600)
        try:
            system.write(handle, f"{stamp} {system.getpid()} {text}\n".encode())
            full = system.fstat(handle).st_size > LOG_LIMIT
        finally:
            system.close(handle)
        if full:
            system.replace(path, path + ".1")
    except OSError:
        return


def _bounded(form: str, text: str) -> bytes:
    """Cuts the text so that the whole answer keeps its limit when written in ASCII."""
    room = MESSAGE_LIMIT - len(form)
    quoted = dumps(text)
    if len(quoted) > room:
        while len(quoted) > room:
            text = text[: max(0, len(text) - max(1, (len(quoted) - room) // 6))]
            quoted = dumps(text + "...")
    return (form % quoted).encode()


def described(error: BaseException) -> str:
    """An exception in a few words for a message or the log."""
    if isinstance(error, OSError) and error.strerror:
        place = f": {error.filename}" if isinstance(error.filename, str) else ""
        return f"{error.strerror}{place}"
    return f"{type(error).__name__}: {error}"
