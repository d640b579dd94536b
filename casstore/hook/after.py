"""The optional PostToolUse hook: keeps how a call left the files, and how it ended.

After a file tool, and after a command that names a workflow or project, the same files as before
the call; after any other command those of the session's project that changed since its last
capture, which no rule could have named. A file that the call left as it was makes no second
version: the tool call, the path and the digest are the same. Never refuses anything.
"""

import sys
import time

from casstore._system import environment
from casstore.hook import deadline
from casstore.hook.gate import end, read_all
from casstore.hook.scan import COMMAND_TOOLS, options_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from casstore.hook.capture import Gathered
    from casstore.hook.reading import Root
    from casstore.hook.rules import Call
    from casstore.hook.scan import Options
    from casstore.hook.session import Memory

EVENTS = ("PostToolUse", "PostToolUseFailure")

_FINE_NS = 50_000_000
_COARSE_NS = 2_000_000_000


def main() -> None:
    """Handles the PostToolUse event on standard input; does not return."""
    started = time.perf_counter_ns()
    answer = b""
    try:
        environ = environment()
        options = options_from(sys.argv[1:], environ)
        deadline.start(options.deadline, lambda: b"")
        answer = run(read_all(0), options, environ, started)
        deadline.stop()
    except BaseException as error:  # the host must see a message, never a traceback
        deadline.stop()
        from casstore.hook.outcome import described, warn

        answer = warn(f"no capture after the call: {described(error)}")
    end(answer)


def run(data: bytes, options: "Options", environ: "Mapping[str, str]", started: int) -> bytes:
    """What the hook answers to an event: nothing, or a message on what it could not keep."""
    from casstore.hook.loading import JUDGING, KEEPING, load

    load(JUDGING)
    from casstore.hook import paths
    from casstore.hook.jsonio import NotJson, loads
    from casstore.hook.rules import call_is_high_value, call_of

    try:
        event = loads(data)
    except NotJson:
        return b""
    call = call_of(event)
    if call is None or call.event not in EVENTS:
        return b""
    due = call_is_high_value(call, options)
    if not due and call.tool_name not in COMMAND_TOOLS:
        return b""
    load(KEEPING)
    from casstore.hook import checkpoint, session
    from casstore.hook.capture import Gathered, gather
    from casstore.inbox import inbox_of

    store = paths.store_path(environ, call.cwd)
    memory = session.recall(inbox_of(store), call.session_id)
    if not due and not memory.folder:
        return b""
    root = checkpoint.root_of(call, environ)
    captured_ns = time.time_ns()
    if due:
        found = gather(call, options, environ, root, memory)
    else:
        found = _changed(root, memory, Gathered())
    if not found.entries and not found.missed:
        return b""
    header = checkpoint.header_of(call, found, root.path, captured_ns, started)
    header["outcome"] = outcome_of(call, event)
    return checkpoint.keep(call, found, header, memory, store, strict=False)


def outcome_of(call: "Call", event: "Mapping[str, Any]") -> str:
    """``done``, ``failed`` or ``interrupted``, as far as the event says."""
    response = event.get("tool_response")
    facts = response if isinstance(response, dict) else {}
    if facts.get("interrupted") is True or event.get("is_interrupt") is True:
        return "interrupted"
    bad = facts.get("success") is False or facts.get("is_error") is True
    return "failed" if bad or call.event == "PostToolUseFailure" else "done"


def _changed(root: "Root", memory: "Memory", found: "Gathered") -> "Gathered":
    """The files of the session's project that changed since its last capture."""
    from casstore.hook.capture import MAX_FILE, MAX_OTHER_FILE, add, is_workflow
    from casstore.hook.reading import Refused

    found.folder, found.project, found.source = memory.folder, memory.project, "session"
    for path, size, changed_ns in root.files(memory.folder):
        # a kernel's clock for files lags some milliseconds; some file systems keep seconds
        slack = _FINE_NS if changed_ns % 1_000_000_000 else _COARSE_NS
        if size < 0 or changed_ns + slack < memory.touched_ns:
            continue
        owed = is_workflow(path)
        try:
            add(path, memory.project, MAX_FILE if owed else MAX_OTHER_FILE, root, found)
        except Refused as refused:
            (found.missed if owed else found.skipped).append((path, refused.reason))
    return found
