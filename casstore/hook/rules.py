"""Says which tool calls are high-value: about to change, or about to use, a workflow.

The rule for paths is one pattern, ``projects/<id>/inputs`` unless set otherwise, looked for
anywhere in an absolute path. File tools are judged by where their path really leads; commands
by what they say, so that deciding costs no walk over the disk.
"""

from casstore._system import WINDOWS, system
from casstore.hook import paths
from casstore.hook.scan import COMMAND_TOOLS, FILE_TOOLS, IGNORE_CASE, SKILL_TOOL, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Call:
    """What a hook event says of the tool call, with nothing but the expected types in it."""

    __slots__ = ("agent_id", "cwd", "event", "session_id", "tool_input", "tool_name", "tool_use_id")

    def __init__(self, event: "dict[str, Any]", tool_input: "dict[str, Any]") -> None:
        self.event = _text(event, "hook_event_name") or "PreToolUse"
        self.session_id = _text(event, "session_id")
        self.tool_name = _text(event, "tool_name")
        self.tool_use_id = _text(event, "tool_use_id")
        self.agent_id = _text(event, "agent_id")
        self.tool_input = tool_input
        cwd = paths.slashes(_text(event, "cwd"))
        self.cwd = cwd if paths.is_absolute(cwd) and "\x00" not in cwd else _working_folder()


class Place:
    """Where a path meets the pattern: the project's id, its inputs folder, the part below."""

    __slots__ = ("below", "folder", "project")

    def __init__(self, project: str, folder: str, below: str) -> None:
        self.project = project
        self.folder = folder
        self.below = below


def call_of(event: object) -> "Call | None":
    """The call of an event; None where it is of no kind or shape that concerns the hook."""
    if not isinstance(event, dict):
        return None
    tool_input = event.get("tool_input")
    tool = event.get("tool_name")
    if not isinstance(tool_input, dict) or not isinstance(tool, str):
        return None
    if tool in FILE_TOOLS or tool in COMMAND_TOOLS or tool == SKILL_TOOL:
        return Call(event, tool_input)
    return None


def is_high_value(event: object, options: "Options | None" = None) -> bool:
    """True where a checkpoint is due before this call.

    ``event``: the PreToolUse event as parsed JSON. File tools: the path lies under
    ``projects/<id>/inputs/``, as written (relative to ``cwd``, either slash) or after following
    links and ``..``. ``Bash``, ``PowerShell``, ``Skill``: the command, or the skill and its
    arguments, hold a needle. ``Bash``, ``PowerShell``: the command names such a path.
    """
    call = call_of(event)
    return call is not None and call_is_high_value(call, options or Options())


def call_is_high_value(call: "Call", options: "Options") -> bool:
    """The same for a call."""
    if call.tool_name in FILE_TOOLS:
        return file_target(call, options) is not None
    text = spoken(call)
    if has_needle(text, options):
        return True
    if call.tool_name == SKILL_TOOL:
        return False
    from casstore.hook.command import names_inputs

    return names_inputs(text, call.cwd, options)


def has_needle(text: str, options: "Options") -> bool:
    if IGNORE_CASE:
        text = text.lower()
    return any(paths.folded(needle) in text for needle in options.needles)


def spoken(call: "Call") -> str:
    """The text of a command or skill call that the rules look at."""
    if call.tool_name in COMMAND_TOOLS:
        return _text(call.tool_input, "command")
    found: list[str] = []
    waiting: list[Any] = [call.tool_input.get("args"), call.tool_input.get("skill")]
    while waiting and len(found) < 1000:
        item = waiting.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, (list, dict)):
            waiting.extend(reversed(item if isinstance(item, list) else [*item.values()]))
    return "\n".join(found)


def file_target(call: "Call", options: "Options") -> "tuple[str, Place] | None":
    """The absolute path that a file tool is about to change, and where it meets the pattern;
    None where the call is harmless."""
    named = _text(call.tool_input, FILE_TOOLS[call.tool_name])
    if not named:
        return None
    spellings = [named]
    if "\\" in named and not WINDOWS:
        spellings.append(named.replace("\\", "/"))
    for spelling in spellings:
        path = paths.join(call.cwd, spelling)
        place = under(paths.normalised(path), options)
        if place is not None:
            return path, place
        try:
            place = under(paths.resolved(path), options)
        except (OSError, ValueError):
            continue
        if place is not None:
            return path, place
    return None


def under(path: str, options: "Options") -> "Place | None":
    """The place of a file under an inputs folder."""
    place = place_of(path, options)
    return place if place is not None and place.below else None


def place_of(path: str, options: "Options", length: "int | None" = None) -> "Place | None":
    """Where a normalised absolute path first meets the pattern (or its first ``length`` parts)."""
    pattern = options.inputs if length is None else options.inputs[:length]
    if not pattern:
        return None
    parts = path.split("/")
    wanted = [paths.folded(part) for part in pattern]
    names = [paths.folded(part) for part in parts] if IGNORE_CASE else parts
    size = len(wanted)
    for start in range(len(parts) - size + 1):
        for want, name in zip(wanted, names[start : start + size]):  # noqa: B905
            if want != name and (want != "*" or not name):
                break
        else:
            window = parts[start : start + size]
            ids = [part for part, want in zip(window, wanted) if want == "*"]  # noqa: B905
            return Place(
                "/".join(ids) or window[-1],
                "/".join(parts[: start + size]),
                "/".join(parts[start + size :]),
            )
    return None


def _text(values: "dict[str, Any]", key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""


def _working_folder() -> str:
    try:
        return paths.slashes(system.getcwd())
    except OSError:  # the folder was removed under the process
        return "/"
