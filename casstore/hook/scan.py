"""Looks at the bytes of an event and says whether reading it could be worth it.

`may_matter` is False only where no reading of the bytes as JSON could make the call high-value:
it errs on the side of reading. It is what most calls end with, so this module imports nothing.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HIGH_VALUE_NEEDLES = ("compile.py", "submit_prompt.py")
"""A command, skill or its arguments holding one of these is about to use a workflow."""

INPUTS = "projects/*/inputs"
"""Where the workflows of a project are; ``*`` stands for the project's id."""

DEADLINE = 2.0
"""Seconds from the start of the hook's own code to its end."""

FILE_TOOLS = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
"""Tools that change one file, and the key of ``tool_input`` that names it."""

COMMAND_TOOLS = ("Bash", "PowerShell")
SKILL_TOOL = "Skill"

# Common to the file tools' names: `Write`, `Edit`, `MultiEdit`, `NotebookEdit`.
_FILE_TOOL_MARKS = (b"Write", b"Edit")

IGNORE_CASE = sys.platform in ("win32", "darwin")
"""These file systems find ``Projects/Demo`` under the name ``projects/demo``."""

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Options:
    """What can be set: from the command line in the settings file, then the environment."""

    __slots__ = ("deadline", "inputs", "marks", "needles", "strict")

    def __init__(
        self,
        needles: "Sequence[str]" = HIGH_VALUE_NEEDLES,
        inputs: str = INPUTS,
        strict: bool = False,
        deadline: float = DEADLINE,
    ) -> None:
        self.needles = tuple(needle for needle in needles if needle)
        self.inputs = tuple(part for part in inputs.replace("\\", "/").split("/") if part)
        self.strict = strict
        self.deadline = deadline
        self.marks = tuple(_fragments(text) for text in (*self.needles, inputs))


def options_from(arguments: "Sequence[str]", environ: "Mapping[str, str]") -> "Options":
    """Reads ``--needle TEXT`` (repeatable), ``--inputs PATTERN``, ``--strict`` and
    ``CASSTORE_HOOK_NEEDLES`` (comma-separated), ``CASSTORE_HOOK_INPUTS``,
    ``CASSTORE_HOOK_STRICT``, ``CASSTORE_HOOK_DEADLINE`` (seconds). The environment wins. What
    cannot be used is passed over: a typing error must not take the checkpoint away."""
    needles, inputs, strict, deadline = [], INPUTS, False, DEADLINE
    words = iter(arguments)
    for word in words:
        if word == "--needle":
            needles.append(next(words, ""))
        elif word == "--inputs":
            inputs = next(words, "") or inputs
        elif word == "--strict":
            strict = True
    named = environ.get("CASSTORE_HOOK_NEEDLES")
    if named:
        needles = [needle.strip() for needle in named.split(",")]
    inputs = environ.get("CASSTORE_HOOK_INPUTS") or inputs
    wish = environ.get("CASSTORE_HOOK_STRICT")
    if wish is not None:
        strict = wish.strip().lower() not in ("", "0", "false", "no", "off")
    try:
        seconds = float(environ.get("CASSTORE_HOOK_DEADLINE", ""))
        if 0.05 <= seconds <= 60.0:
            deadline = seconds
    except ValueError:
        pass
    return Options(needles if any(needles) else HIGH_VALUE_NEEDLES, inputs, strict, deadline)


def may_matter(data: bytes, options: "Options") -> bool:
    """False where the call is harmless whatever the JSON in ``data`` says.

    A file tool always matters: its path may be a link into an inputs folder. The others matter
    where every plain fragment of a needle or of the inputs pattern occurs, or where an escape
    such as ``\\u0063`` could spell one.
    """
    for mark in _FILE_TOOL_MARKS:
        if mark in data:
            return True
    text = data.lower() if IGNORE_CASE else data
    for fragments in options.marks:
        for fragment in fragments:
            if fragment not in text:
                break
        else:
            return True
    return b"\\u00" in data and _escapes_ascii(data)


def _escapes_ascii(data: bytes) -> bool:
    """True where a ``\\u`` escape stands for a printable ASCII character. JSON writers escape
    control characters only, so this is rare."""
    for rest in data.split(b"\\u00")[1:]:
        if rest[:1] in (b"2", b"3", b"4", b"5", b"6", b"7"):
            return True
    return False


def _fragments(text: str) -> "tuple[bytes, ...]":
    """The runs of characters that every JSON writer leaves as they are."""
    plain = "".join(letter if letter in _PLAIN else " " for letter in text)
    words = plain.lower().split() if IGNORE_CASE else plain.split()
    return tuple(word.encode() for word in words)
