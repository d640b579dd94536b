"""Makes one checkpoint: gathers the files, writes the capture, starts settling.

When `make` returns, everything that was gathered survives a crash. The answer is empty unless
something that a checkpoint owes the call was left out.
"""

import time

from casstore import inbox as boxes
from casstore._system import flag, system
from casstore.hook import paths, session
from casstore.hook.capture import REASONS, gather, left_out
from casstore.hook.jsonio import dumps
from casstore.hook.outcome import CannotCapture, allow, described, failed, log, warn
from casstore.hook.reading import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from casstore.hook.capture import Gathered
    from casstore.hook.rules import Call
    from casstore.hook.scan import Options


def make(
    call: "Call", options: "Options", environ: "Mapping[str, str]", store: str, started: int
) -> bytes:
    """The checkpoint before a high-value call, and the answer. Raises `CannotCapture`."""
    root = root_of(call, environ)
    captured_ns = time.time_ns()
    memory = session.recall(boxes.inbox_of(store), call.session_id)
    found = gather(call, options, environ, root, memory)
    header = header_of(call, found, root.path, captured_ns, started)
    return keep(call, found, header, memory, store, strict=options.strict)


def root_of(call: "Call", environ: "Mapping[str, str]") -> Root:
    """The project's root, open. Raises `CannotCapture`."""
    try:
        return Root(paths.project_root(environ, call.cwd))
    except OSError as error:
        raise CannotCapture(described(error)) from None


def keep(
    call: "Call",
    found: "Gathered",
    header: "dict[str, object]",
    memory: session.Memory,
    store: str,
    *,
    strict: bool,
) -> bytes:
    """Writes what was gathered, starts settling, and says what was left out: of the files owed
    always, of others once in a session."""
    box = boxes.inbox_of(store)
    mark = _mark(found)
    if found.entries:
        captured_ns = header["time_ns"]
        assert isinstance(captured_ns, int)
        write(box, captured_ns, dumps(header), found.bodies)
        start_settling(store)
        now = session.Memory(found.project, found.folder, mark)
        session.remember(box, call.session_id, now, memory, captured_ns)
    if found.missed:
        reason = f"not captured at {call.tool_name}: {_listed(found.missed)}"
        log(store, reason)
        return failed(reason, strict=strict)
    problem = settling_problem(box)
    if problem:
        return warn(problem)
    if mark and mark != memory.left_out:
        reason = f"not captured at {call.tool_name}: {_listed(found.skipped)}"
        log(store, reason)
        return warn(f"{reason} (said once)")
    return allow("captured")


def header_of(
    call: "Call", found: "Gathered", root: str, captured_ns: int, started: int
) -> "dict[str, object]":
    """The facts of a capture. Of the call's input it holds the paths alone: what a tool writes
    and what a command says may be secret."""
    header: dict[str, object] = {
        "format": 1,
        "time_ns": captured_ns,
        "event": call.event,
        "session_id": _label(call.session_id),
        "tool_name": call.tool_name,
        "tool_use_id": call.tool_use_id,
        "cwd": call.cwd,
        "root": root,
        "files": found.entries,
    }
    if call.agent_id:
        header["agent_id"] = call.agent_id
    if found.source:
        header["project_from"] = found.source
    missing = left_out(found)
    if missing:
        header["left_out"] = missing
    header["wall_us"] = (time.perf_counter_ns() - started) // 1000
    header["cpu_us"] = time.process_time_ns() // 1000
    return header


def write(box: str, captured_ns: int, header: str, bodies: "list[bytes | None]") -> None:
    """Puts a capture into the inbox, which is made where it is missing. Raises
    `CannotCapture`."""
    name = boxes.new_name(captured_ns)
    parts = boxes.encoded(header, bodies)
    try:
        try:
            boxes.put(box, name, parts)
        except FileNotFoundError:
            boxes.make_folder(box)
            boxes.put(box, name, parts)
    except OSError as error:
        raise CannotCapture(f"the inbox at {box} cannot be written: {described(error)}") from None


def start_settling(store: str) -> None:
    """The capture is safe by now: a failure here only leaves it to the next reader."""
    try:
        from casstore import detach

        detach.start_settling(store)
    except Exception as error:
        log(store, f"settling was not started: {described(error)}")


def settling_problem(box: str) -> str:
    """What keeps the captures from reaching the store, where settling noted something."""
    try:
        handle = system.open(
            f"{box}/{boxes.PROBLEM}",
            flag("O_RDONLY") | flag("O_NOFOLLOW") | flag("O_NONBLOCK") | flag("O_CLOEXEC"),
        )
    except OSError:
        return ""
    try:
        text = system.read(handle, 2000).decode("utf-8", "replace").strip()
    except OSError:
        text = ""
    finally:
        system.close(handle)
    return f"captures are kept but wait outside the store: {text}" if text else ""


def _mark(found: "Gathered") -> str:
    """Equal for two captures that left out the same, as far as a user cares."""
    if not found.skipped:
        return ""
    path, reason = found.skipped[0]
    return f"{len(found.skipped)} {path} {reason}"[:1000].replace("\n", " ")


def _listed(pairs: "list[tuple[str, str]]") -> str:
    path, reason = pairs[0]
    text = f"{path} {REASONS.get(reason, reason)}"
    return text if len(pairs) == 1 else f"{text}, and {len(pairs) - 1} more"


def _label(session_id: str) -> str:
    """A session label that the store can keep; a checkpoint is not lost for its label."""
    text = session_id.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    return text or "unknown"
