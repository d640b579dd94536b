"""Says how the hook is doing: is it wired, would it start, what did it cost, does anything wait."""

from __future__ import annotations

import json
import os
import subprocess
import time

from casstore import inbox as boxes
from casstore.hook import wiring
from casstore.hook.settings_file import SettingsFile
from casstore.settle import RECENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple
else:
    from casstore._namedtuple import NamedTuple


class Wired(NamedTuple):
    """One casstore entry, and what would keep it from running (None: nothing)."""

    path: str
    event: str
    matcher: str
    command: list[str]
    fault: str | None


class Costs(NamedTuple):
    """Of the last captures that were settled; the figures are medians. ``hook_ms``: processor
    time of the whole process up to the write, the interpreter's start included. ``settled_ms``:
    from the capture to the store."""

    captures: int
    files: int
    bytes: int
    hook_ms: float
    settled_ms: float


class Inbox(NamedTuple):
    """What is in the inbox. ``oldest_seconds``: age of the longest-waiting capture."""

    waiting: int
    broken: int
    oldest_seconds: float | None
    problem: str | None


def settings_files(project: str, home: str) -> list[str]:
    """The settings files in which Claude Code looks for hooks, as far as they are there."""
    candidates = [
        wiring.settings_path(project),
        os.path.join(project, ".claude", "settings.local.json"),
        wiring.settings_path(home),
    ]
    return [path for path in dict.fromkeys(candidates) if os.path.isfile(path)]


def wired(project: str, files: Sequence[str]) -> list[Wired]:
    """Every casstore entry of these files. Raises as `SettingsFile`."""
    found = []
    for path in files:
        for entry in wiring.entries(SettingsFile(path).value):
            command = command_of(entry.handler, project)
            found.append(Wired(path, entry.event, entry.matcher, command, fault_of(command)))
    return found


def command_of(handler: dict[str, Any], project: str) -> list[str]:
    """The words that the host would run, its placeholders replaced. The shell form as one word
    for a shell."""
    arguments = handler.get("args")
    if not isinstance(arguments, list):
        return [str(handler.get("command", ""))]
    words = [handler.get("command", ""), *arguments]
    return [str(word).replace("${CLAUDE_PROJECT_DIR}", project) for word in words]


def fault_of(command: Sequence[str]) -> str | None:
    """Why the command of an entry would not run."""
    if len(command) == 1:
        return "the entry is in the shell form; run casstore hook install"
    script = next((word for word in command if word.endswith(".py")), None)
    if script is None or not os.path.isfile(script):
        return f"there is no script {script}; run casstore hook install"
    try:
        done = subprocess.run(
            [command[0], "-I", "-S", "-c", "import sys; sys.exit(sys.version_info < (3, 10))"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the interpreter {command[0]} does not start: {error}"
    if done.returncode:
        return f"the interpreter {command[0]} is older than Python 3.10"
    return None


def costs(store_path: str) -> Costs | None:
    """What the last captures cost; None where none was settled yet."""
    rows = []
    try:
        with open(os.path.join(boxes.inbox_of(store_path), RECENT), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    except (OSError, ValueError):
        pass
    rows = [row for row in rows if isinstance(row, dict) and isinstance(row.get("time_ns"), int)]
    if not rows:
        return None
    return Costs(
        captures=len(rows),
        files=int(_median(row.get("files", 0) for row in rows)),
        bytes=int(_median(row.get("bytes", 0) for row in rows)),
        hook_ms=round(_median(row.get("cpu_us", 0) for row in rows) / 1e3, 1),
        settled_ms=round(
            _median(row.get("settled_ns", row["time_ns"]) - row["time_ns"] for row in rows) / 1e6, 1
        ),
    )


def inbox(store_path: str, now_ns: int | None = None) -> Inbox:
    """What is in the inbox of a store."""
    folder = boxes.inbox_of(store_path)
    now_ns = time.time_ns() if now_ns is None else now_ns
    names = waiting_names(store_path)
    ages = [age for age in (boxes.age(name, now_ns) for name in names) if age is not None]
    try:
        with open(os.path.join(folder, boxes.PROBLEM), encoding="utf-8") as file:
            problem = file.read(2000).strip() or None
    except (OSError, ValueError):
        problem = None
    oldest = round(max(ages), 3) if ages else None
    return Inbox(len(names), len(broken_names(store_path)), oldest, problem)


def waiting_names(store_path: str) -> list[str]:
    """The captures that wait, by time."""
    try:
        return boxes.waiting(store_path)
    except OSError:
        return []


def broken_names(store_path: str) -> list[str]:
    """The captures that were set aside, by time."""
    try:
        names = os.listdir(os.path.join(boxes.inbox_of(store_path), boxes.BROKEN))
    except OSError:
        return []
    return sorted(name for name in names if name.endswith(boxes.SUFFIX))


def _median(values: Any) -> float:
    ordered = sorted(value for value in values if isinstance(value, (int, float)))
    return float(ordered[len(ordered) // 2]) if ordered else 0.0
