"""From the bytes of an event to an answer: judge, and where it is high-value, make a checkpoint.

Whatever goes wrong ends as a message (or, in strict mode, a refusal) and a line in the log.
Judging needs half of the hook's modules; the other half is imported where a checkpoint is due.
"""

from casstore.hook import paths
from casstore.hook.jsonio import NotJson, loads
from casstore.hook.rules import call_is_high_value, call_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from casstore.hook.rules import Call
    from casstore.hook.scan import Options

EVENT = "PreToolUse"


def handle(data: bytes, options: "Options", environ: "Mapping[str, str]", started: int) -> bytes:
    """The answer to an event whose bytes may matter. Never raises but for `Deadline` while it
    judges."""
    try:
        event = loads(data)
    except NotJson as error:
        if EVENT.encode() not in data:
            return b""  # another program's input
        from casstore.hook.outcome import failed

        return failed(f"a hook event cannot be read: {error}", strict=options.strict)
    call = call_of(event)
    if call is None or call.event != EVENT or not call_is_high_value(call, options):
        return b""
    return _guarded(call, options, environ, started)


def _guarded(call: "Call", options: "Options", environ: "Mapping[str, str]", started: int) -> bytes:
    from casstore.hook.loading import KEEPING, load

    load(KEEPING)
    from casstore.hook.checkpoint import make
    from casstore.hook.deadline import Deadline
    from casstore.hook.outcome import CannotCapture, described, failed, log

    store = paths.store_path(environ, call.cwd)
    try:
        return make(call, options, environ, store, started)
    except Deadline:
        reason = f"no checkpoint before {call.tool_name} within {options.deadline:g} s"
    except CannotCapture as error:
        reason = f"no checkpoint before {call.tool_name}: {error}"
    except Exception as error:
        reason = f"no checkpoint before {call.tool_name}: {described(error)}"
    log(store, reason)
    return failed(reason, strict=options.strict)
