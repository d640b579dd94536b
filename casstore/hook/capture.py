"""Gathers what a high-value call is about to touch: exact bytes, within fixed limits.

A file tool: its one file. A command: the files it names, then everything in the inputs folders
of the projects it names; where it names none, of the project the session last captured, else of
the one whose workflows changed last. What is left out is listed with its reason.
"""

from casstore.hook import paths
from casstore.hook.deadline import Deadline
from casstore.hook.reading import ABSENT, Refused, Root
from casstore.hook.rules import file_target, place_of, spoken
from casstore.hook.scan import FILE_TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from casstore.hook.command import Named
    from casstore.hook.rules import Call, Place
    from casstore.hook.scan import Options
    from casstore.hook.session import Memory

MAX_FILES = 100
"""Files of one capture."""

MAX_FILE = 32 * 1024 * 1024
"""Bytes of one file."""

MAX_OTHER_FILE = 1024 * 1024
"""Bytes of a file that is no ``.json`` and that the call does not name, such as an image."""

MAX_TOTAL = 64 * 1024 * 1024
"""Bytes of all files of one capture."""

_LISTED = 20

REASONS = {
    "outside": "leads out of the project",
    "not_a_file": "is not a regular file",
    "too_large": f"is larger than {MAX_FILE // 1024 // 1024} MiB",
    "too_large_other": f"is larger than {MAX_OTHER_FILE // 1024 // 1024} MiB and no workflow",
    "too_many": f"comes after {MAX_FILES} files",
    "too_many_bytes": f"comes after {MAX_TOTAL // 1024 // 1024} MiB",
    "unreadable": "cannot be read",
    "invalid": "is not a valid path",
    "deadline": "was not read in time",
}


class Gathered:
    """``entries[i]`` describes ``bodies[i]`` (None: the file is absent). ``missed`` and
    ``skipped`` are the files left out, as (path, reason): those that a checkpoint owes to the
    call, and others found beside them."""

    __slots__ = ("bodies", "entries", "folder", "missed", "project", "skipped", "source", "total")

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.bodies: list[bytes | None] = []
        self.missed: list[tuple[str, str]] = []
        self.skipped: list[tuple[str, str]] = []
        self.total = 0
        self.project = ""
        self.folder = ""
        self.source = ""


def gather(
    call: "Call", options: "Options", environ: "Mapping[str, str]", root: "Root", memory: "Memory"
) -> "Gathered":
    """The capture of a high-value call. Never raises for a file; `Deadline` ends it early."""
    found = Gathered()
    if call.tool_name in FILE_TOOLS:
        target = file_target(call, options)
        if target is not None:
            _file(target[0], target[1], root, found)
        return found
    _command(call, options, environ, root, memory, found)
    return found


def left_out(found: "Gathered") -> "list[dict[str, str]]":
    """What the capture says of the files left out: the first of them, and how many more."""
    pairs = [*found.missed, *found.skipped]
    listed = [{"path": path, "reason": reason} for path, reason in pairs[:_LISTED]]
    if len(pairs) > _LISTED:
        listed.append({"path": f"{len(pairs) - _LISTED} more", "reason": "not_listed"})
    return listed


def _file(path: str, place: "Place", root: "Root", found: "Gathered") -> None:
    try:
        relative = root.relative(path)
        try:
            folder = root.relative(place.folder)
        except Refused:
            folder = ""
        found.project, found.folder = place.project, folder
        add(relative, place.project, MAX_FILE, root, found)
    except Refused as refused:
        found.missed.append((path, refused.reason))
    except Deadline:
        found.missed.append((path, "deadline"))


def _command(
    call: "Call",
    options: "Options",
    environ: "Mapping[str, str]",
    root: "Root",
    memory: "Memory",
    found: "Gathered",
) -> None:
    from casstore.hook.loading import load

    load(("hook.command",))
    from casstore.hook.command import named_in

    try:
        named = named_in(spoken(call), call.cwd, root.path, environ, options)
        folders = _folders(named, root, memory, options, found)
        wanted = _wanted(named, folders, options, root, found)
    except Deadline:
        found.missed.append((f"the files of {call.tool_name}", "deadline"))
        return
    found.skipped += [(path, "outside") for path in named.outside]
    waiting = list(wanted.items())
    try:
        while waiting:
            path, (project, owed) = waiting[0]
            try:
                add(path, project, MAX_FILE if owed else MAX_OTHER_FILE, root, found)
            except Refused as refused:
                (found.missed if owed else found.skipped).append((path, refused.reason))
            waiting.pop(0)
    except Deadline:
        for path, (_, owed) in waiting:
            (found.missed if owed else found.skipped).append((path, "deadline"))


def _folders(
    named: "Named", root: "Root", memory: "Memory", options: "Options", found: "Gathered"
) -> "dict[str, str]":
    """The inputs folders to capture, relative to the root, and their projects."""
    folders: dict[str, str] = {}
    for folder, project in named.folders.items():
        try:
            folders[root.relative(folder)] = project
        except Refused as refused:
            found.skipped.append((folder, refused.reason))
    if folders:
        found.source = "command"
    elif memory.folder and paths.exists(f"{root.path}/{memory.folder}"):
        folders = {memory.folder: memory.project}
        found.source = "session"
    else:
        folders = _newest(root, options)
        found.source = "newest"
    if folders:
        found.folder, found.project = next(iter(folders.items()))
    return folders


def _newest(root: "Root", options: "Options") -> "dict[str, str]":
    """The inputs folder whose workflows changed last, of those directly under the root."""
    from casstore.hook.command import projects_under

    best, changed = {}, -1
    for folder, project in projects_under(root.path, options):
        try:
            relative = root.relative(folder)
        except Refused:
            continue
        times = [at for path, _, at in root.files(relative) if is_workflow(path)]
        latest = max(times, default=0)
        if latest > changed:
            best, changed = {relative: project}, latest
    return best


def _wanted(
    named: "Named", folders: "dict[str, str]", options: "Options", root: "Root", found: "Gathered"
) -> "dict[str, tuple[str, bool]]":
    """Relative paths in the order in which they are read, each with its project and whether the
    checkpoint owes it: named files and workflows do count, other files are a courtesy."""
    wanted: dict[str, tuple[str, bool]] = {}
    for path, place in named.files.items():
        try:
            relative = root.relative(path)
        except Refused as refused:
            found.skipped.append((path, refused.reason))
            continue
        if place is None:
            place = place_of(f"{root.path}/{relative}", options)
        wanted[relative] = (place.project if place is not None else "", True)
    listed = []
    for folder, project in folders.items():
        for path, size, _ in root.files(folder):
            if size < 0:  # a link
                try:
                    path = root.relative(f"{root.path}/{path}")
                except Refused as refused:
                    found.skipped.append((path, refused.reason))
                    continue
            listed.append((not is_workflow(path), path, project))
    for other, path, project in sorted(listed):
        wanted.setdefault(path, (project, not other))
    if root.cut_short:
        found.missed.append(("names beyond the first 5000 of an inputs folder", "too_many"))
    return wanted


def add(relative: str, project: str, limit: int, root: "Root", found: "Gathered") -> None:
    """Reads one file into the capture. Raises `Refused`."""
    if len(found.entries) >= MAX_FILES:
        raise Refused("too_many")
    room = MAX_TOTAL - found.total
    entry: dict[str, Any] = {"path": relative, "size": None}
    body = None
    try:
        content = root.read(relative, min(limit, room))
        body = content.data
        entry["size"] = len(body)
        found.total += len(body)
        if content.changing:
            entry["changing"] = True
    except Refused as refused:
        if refused.reason == "too_large" and room < limit:
            raise Refused("too_many_bytes") from None
        if refused.reason == "too_large" and limit == MAX_OTHER_FILE:
            raise Refused("too_large_other") from None
        if refused.reason != ABSENT:
            raise
    if project:
        entry["project"] = project
    found.entries.append(entry)
    found.bodies.append(body)


def is_workflow(path: str) -> bool:
    return paths.folded(path[-5:]) == ".json"
