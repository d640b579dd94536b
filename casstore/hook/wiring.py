"""Wires the hook into a Claude Code settings file, and out of it.

`install` and `uninstall` change the casstore entries and nothing else; either run twice changes
nothing the second time. The entries use the exec form (``command`` and ``args``): no shell
stands between the host and the interpreter, which would cost more than the hook.
"""

from __future__ import annotations

import json
import os
import re
import sys

from casstore.errors import InvalidDocument
from casstore.hook import settings_text as texts
from casstore.hook.settings_file import SettingsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, NamedTuple
else:
    from casstore._namedtuple import NamedTuple

PRE, POST = "PreToolUse", "PostToolUse"
FILES = "Write|Edit|NotebookEdit"
COMMANDS = "Skill|Bash"
TIMEOUT = 10
"""Seconds after which the host ends a hook. The hook's own deadline is far below."""

_SCRIPTS = {PRE: "checkpoint_pre.py", POST: "checkpoint_post.py"}
_OURS = re.compile(r"(?:^|[\s/\\\"'])checkpoint_(?:pre|post)\.py(?:$|[\s\"'])")


class Entry(NamedTuple):
    """One handler in a settings file: where it stands, and what it runs."""

    event: str
    matcher: str
    group: int
    position: int
    handler: dict[str, Any]


def settings_path(folder: str) -> str:
    """The settings file of a project folder, or of the user's home."""
    return os.path.join(folder, ".claude", "settings.json")


def handler(event: str, project: str | None, options: Sequence[str] = ()) -> dict[str, Any]:
    """The handler for an event. The script's path starts with ``${CLAUDE_PROJECT_DIR}`` where
    the package lies in ``project``, so that the project folder can be moved."""
    script = _script(event)
    if project is not None:
        below = os.path.relpath(os.path.realpath(script), os.path.realpath(project))
        if not below.startswith(".."):
            script = "${CLAUDE_PROJECT_DIR}/" + below.replace(os.sep, "/")
    return {
        "type": "command",
        "command": sys.executable,
        "args": ["-I", "-S", script, *options],
        "timeout": TIMEOUT,
    }


def wanted(
    project: str | None, *, options: Sequence[str], post: bool, powershell: bool
) -> list[tuple[str, str, dict[str, Any]]]:
    """Event, matcher and handler of each group to have."""
    commands = f"{COMMANDS}|PowerShell" if powershell else COMMANDS
    events = (PRE, POST) if post else (PRE,)
    return [
        (event, matcher, handler(event, project, [*options] if event == PRE else _mild(options)))
        for event in events
        for matcher in (FILES, commands)
    ]


def install(file: SettingsFile, groups: Sequence[tuple[str, str, dict[str, Any]]]) -> bool:
    """Makes the casstore entries of a settings file exactly these; False where they were."""
    present = [(entry.event, entry.matcher, entry.handler) for entry in entries(file.value)]
    if sorted(present, key=json.dumps) == sorted(groups, key=json.dumps):
        return False
    text = _without_ours(file, file.text)
    for event, matcher, made in groups:
        group = {"matcher": matcher, "hooks": [made]}
        value = json.loads(text)
        if "hooks" not in value:
            text = texts.with_member(text, (), "hooks", {event: [group]})
        elif event not in value["hooks"]:
            text = texts.with_member(text, ("hooks",), event, [group])
        else:
            text = texts.with_item(text, ("hooks", event), group)
    return file.replace(text)


def uninstall(file: SettingsFile) -> bool:
    """Takes the casstore entries out of a settings file, and the lists and objects that they
    leave empty; False where there was none."""
    if not entries(file.value):
        return False
    return file.replace(_without_ours(file, file.text))


def entries(settings: dict[str, Any]) -> list[Entry]:
    """The casstore entries, in the order in which they stand."""
    found = []
    for event, group, matcher, index, made in _handlers(settings):
        if is_ours(made):
            found.append(Entry(event, matcher, group, index, made))
    return found


def is_ours(made: Any) -> bool:
    """True for a handler that runs one of the two hook scripts, in the exec or the shell form."""
    if not isinstance(made, dict) or made.get("type") != "command":
        return False
    arguments = made.get("args")
    words = [made.get("command"), *(arguments if isinstance(arguments, list) else [])]
    return any(isinstance(word, str) and _OURS.search(word) for word in words)


def _without_ours(file: SettingsFile, text: str) -> str:
    while True:
        value = json.loads(text)
        _check(value, file.path)
        found = entries(value)
        if not found:
            return text
        last = found[-1]
        path: texts.Path = ("hooks", last.event, last.group, "hooks", last.position)
        # a group, event or "hooks" that held nothing else goes with it
        while len(path) > 1 and len(texts.value_at(value, path[:-1]) or ()) == 1:
            path = path[:-1]
            if len(path) == 4:
                path = path[:3]  # the group, with its matcher
        text = texts.without(text, path)


def _handlers(settings: dict[str, Any]) -> Iterator[tuple[str, int, str, int, Any]]:
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            inner = group.get("hooks") if isinstance(group, dict) else None
            for index, made in enumerate(inner if isinstance(inner, list) else ()):
                yield event, number, str(group.get("matcher", "")), index, made


def _check(settings: dict[str, Any], path: str) -> None:
    """Raises `InvalidDocument` where the settings have another shape than Claude Code's."""
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise InvalidDocument(f'"hooks" in {path} is not an object; nothing was changed', path=path)
    for event in (PRE, POST):
        if not isinstance(hooks.get(event, []), list):
            raise InvalidDocument(
                f'"{event}" in {path} is not a list; nothing was changed', path=path
            )


def _script(event: str) -> str:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    beside = os.path.join(os.path.dirname(package), "scripts", _SCRIPTS[event])
    if os.path.isfile(beside):
        return beside
    return os.path.join(package, "hook", _SCRIPTS[event])


def _mild(options: Sequence[str]) -> list[str]:
    return [option for option in options if option != "--strict"]
