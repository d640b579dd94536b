"""``casstore hook``: wires the hook into Claude Code's settings, and shows how it is doing."""

from __future__ import annotations

import os
import sys

import click

from casstore.cli import shared
from casstore.cli.terminal import counted, size
from casstore.errors import NotFound, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run
    from casstore.cli.terminal import Line
    from casstore.hook.health import Costs, Inbox, Wired

command = shared.group(help="Capture workflows before an agent touches them (Claude Code hooks).")

_PROJECT = click.option(
    "--project",
    metavar="DIR",
    type=shared.FileName(),
    help="The project's folder; default: the one you are in.",
)
_USER = click.option("--user", is_flag=True, help="Your own settings, for every project.")


@command.add(
    "install",
    answers={
        "settings": "path of the settings file",
        "changed": "whether it was changed",
        "entries": "list of {event, matcher, command}",
        "missing": "libraries that settling needs and this interpreter lacks",
    },
)
@_PROJECT
@_USER
@click.option("--strict", is_flag=True, help="Refuse a call whose checkpoint fails.")
@click.option("--post", is_flag=True, help="Also keep how each call left the files.")
@click.option(
    "--needle",
    "needles",
    metavar="TEXT",
    multiple=True,
    type=shared.Text(),
    help="A command holding this is high-value; repeatable. Default: compile.py, submit_prompt.py.",
)
@click.option(
    "--inputs",
    metavar="PATTERN",
    type=shared.Text(),
    help="Where workflows are; * is the project's id. Default: projects/*/inputs.",
)
@click.option(
    "--powershell/--no-powershell",
    default=None,
    help="Also before PowerShell commands. Default: on Windows.",
)
def install(
    run: Run,
    project: str | None,
    user: bool,
    strict: bool,
    post: bool,
    needles: tuple[str, ...],
    inputs: str | None,
    powershell: bool | None,
) -> None:
    """Wire the hook into .claude/settings.json.

    Adds one entry for file tools and one for commands, and keeps everything else in the file as it
    is. The entries name this Python interpreter. Running it again with other options replaces the
    casstore entries; with the same options it changes nothing.
    """
    from casstore.hook import wiring
    from casstore.hook.settings_file import SettingsFile

    folder = _folder(run, project, user)
    options = ["--strict"] if strict else []
    for needle in needles:
        options += ["--needle", _option_value(needle, "--needle")]
    if inputs is not None:
        options += ["--inputs", _option_value(inputs, "--inputs")]
    if powershell is None:
        powershell = sys.platform == "win32"
    file = SettingsFile(wiring.settings_path(folder))
    groups = wiring.wanted(
        None if user else folder, options=options, post=post, powershell=powershell
    )
    changed = wiring.install(file, groups)
    _warm()
    missing = _missing()
    made = [
        {"event": event, "matcher": matcher, "command": [made["command"], *made["args"]]}
        for event, matcher, made in groups
    ]
    lines: list[Line] = [
        f"wired into {file.path}" if changed else f"{file.path} is wired already",
        *((f"{entry['event']} {entry['matcher']}", " ".join(entry["command"])) for entry in made),
    ]
    if missing:
        lines.append(f"settling needs {' and '.join(missing)}: {_advice(missing)}")
    run.answer(
        {"settings": file.path, "changed": changed, "entries": made, "missing": missing}, *lines
    )


@command.add(
    "uninstall",
    answers={"settings": "path of the settings file", "changed": "whether it was changed"},
)
@_PROJECT
@_USER
def uninstall(run: Run, project: str | None, user: bool) -> None:
    """Take the hook out of .claude/settings.json.

    Removes the casstore entries and the empty lists that they leave. What was captured stays.
    """
    from casstore.hook import wiring
    from casstore.hook.settings_file import SettingsFile

    file = SettingsFile(wiring.settings_path(_folder(run, project, user)))
    changed = wiring.uninstall(file)
    run.answer(
        {"settings": file.path, "changed": changed},
        f"taken out of {file.path}" if changed else f"{file.path} holds no casstore entry",
    )


@command.add(
    "status",
    answers={
        "wired": "list of {path, event, matcher, command, fault}; fault is null where it would run",
        "inbox": "path of the inbox",
        "waiting": "captures not yet in the store",
        "oldest_seconds": "age of the one that waits longest; null where none waits",
        "broken": "captures set aside; see casstore inbox",
        "problem": "what keeps captures from the store; null where nothing does",
        "costs": "of the last captures: {captures, files, bytes, hook_ms, settled_ms}, or null",
        "missing": "libraries that settling needs and this interpreter lacks",
    },
)
@_PROJECT
def status(run: Run, project: str | None) -> None:
    """Show whether the hook is wired, would start, what it costs, and what waits.

    Looks at the project's settings.json and settings.local.json and at your own. Ends with exit
    code 3 where something is not as it should be.
    """
    from casstore.hook import health
    from casstore.inbox import inbox_of

    folder = _folder(run, project, False)
    wired = health.wired(folder, health.settings_files(folder, os.path.expanduser("~")))
    box, costs, missing = health.inbox(run.store_path), health.costs(run.store_path), _missing()
    run.answer(
        {
            "wired": [entry._asdict() for entry in wired],
            "inbox": inbox_of(run.store_path),
            "waiting": box.waiting,
            "oldest_seconds": box.oldest_seconds,
            "broken": box.broken,
            "problem": box.problem,
            "costs": costs and costs._asdict(),
            "missing": missing,
        },
        *_status_lines(wired, box, costs, missing),
    )
    if not wired or any(entry.fault for entry in wired) or box.problem or box.broken or missing:
        click.get_current_context().exit(3)


@command.add(
    "test",
    answers={
        "command": "the command that was run, as a list",
        "exit_code": "its exit code",
        "output": "what it wrote; empty where all went well",
        "milliseconds": "how long it took",
        "captured": "whether a capture was made",
        "settled": "whether its bytes reached the store of the trial",
        "fault": "what was not as it should be; null where all was",
    },
)
@_PROJECT
@_USER
def test(run: Run, project: str | None, user: bool) -> None:
    """Run the wired command on a made-up event, in a made-up project.

    Your project and its store are not touched. Ends with exit code 1 where the hook does not do
    what it should.
    """
    from casstore.hook import health, trial, wiring

    folder = _folder(run, project, False)
    path = wiring.settings_path(_folder(run, project, user))
    files = [path] if user else health.settings_files(folder, os.path.expanduser("~"))
    found = [entry for entry in health.wired(folder, files) if entry.event == wiring.PRE]
    if not found:
        raise NotFound(f"no hook is wired for {folder}; run casstore hook install", path=path)
    entry = found[0]
    if entry.fault is not None:
        raise UsageError(f"the hook in {entry.path} cannot run: {entry.fault}", path=entry.path)
    done = trial.run(entry.command, run.environ)
    run.answer(
        {"command": entry.command, **done._asdict()},
        "the hook works" if done.fault is None else f"the hook does not work: {done.fault}",
        ("command", " ".join(entry.command)),
        ("took", f"{done.milliseconds:g} ms, with the start of its interpreter"),
        *([("wrote", done.output)] if done.output else []),
    )
    if done.fault is not None:
        click.get_current_context().exit(1)


def _status_lines(
    wired: list[Wired], box: Inbox, costs: Costs | None, missing: list[str]
) -> list[Line]:
    lines: list[Line] = []
    if not wired:
        lines.append("the hook is not wired; run casstore hook install")
    for entry in wired:
        state = entry.fault or f"wired in {entry.path}"
        lines.append((f"{entry.event} {entry.matcher}", state))
    if missing:
        lines.append(("missing", f"{', '.join(missing)}; {_advice(missing)}"))
    waits = counted(box.waiting, "capture")
    if box.oldest_seconds is not None:
        waits += f", the oldest for {box.oldest_seconds:.0f} s"
    lines.append(("waiting", waits if box.waiting else "nothing"))
    if box.broken:
        lines.append(("set aside", f"{counted(box.broken, 'capture')}; see casstore inbox"))
    if box.problem:
        lines.append(("problem", box.problem))
    if costs is not None:
        lines.append(
            (
                "cost",
                f"{costs.hook_ms:g} ms of processor time a capture, settled after "
                f"{costs.settled_ms:g} ms (medians of the last {costs.captures}; "
                f"{counted(costs.files, 'file')}, {size(costs.bytes)})",
            )
        )
    return lines


def _folder(run: Run, project: str | None, user: bool) -> str:
    if user:
        if project is not None:
            raise UsageError("--user and --project name two settings files; give one of them")
        return os.path.expanduser("~")
    if project is None:
        return run.project_root
    if not os.path.isdir(project):
        raise UsageError(f"there is no folder {project}", path=project)
    return os.path.abspath(project)


def _option_value(text: str, option: str) -> str:
    if not text.strip() or text.startswith("--"):
        raise UsageError(f"{option} takes a text that is not empty and does not start with --")
    return text


def _warm() -> None:
    """Writes the bytecode of the hook's modules, so that not even the first call compiles them."""
    import compileall

    from casstore.hook import loading

    names = (*loading.GATE, *loading.JUDGING, *loading.KEEPING, "hook.loading", "hook.command")
    for name in names:
        path = os.path.join(loading.PACKAGE, *name.split(".")) + ".py"
        compileall.compile_file(path, quiet=2)


def _missing() -> list[str]:
    from importlib.util import find_spec

    return [name for name in ("orjson", "zstandard") if find_spec(name) is None]


def _advice(missing: list[str]) -> str:
    return f"{sys.executable} -m pip install {' '.join(missing)}"
