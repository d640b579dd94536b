"""``casstore inbox``: what the hook captured and the store does not hold yet."""

from __future__ import annotations

import os

import click

from casstore import inbox as boxes
from casstore.cli import shared
from casstore.cli.terminal import counted
from casstore.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from casstore.cli.run import Run
    from casstore.cli.terminal import Line

command = shared.group(help="List captures that are not in the store yet; settle and retry them.")


@command.add(
    "list",
    answers={
        "inbox": "path of the inbox",
        "waiting": "list of {name, seconds, session_id, tool_name, files, bytes, fault}",
        "broken": "list of {name, seconds, reason}",
        "problem": "what keeps captures from the store; null where nothing does",
    },
)
def list_(run: Run) -> None:
    """Show the captures that wait, and those that were set aside.

    A capture waits for a moment after it was made, or for as long as the store is busy, full or
    not there. One that cannot be read was set aside with the reason.
    """
    from casstore.hook import health

    path = run.store_path
    folder = boxes.inbox_of(path)
    waiting = [_waiting(folder, name) for name in health.waiting_names(path)]
    broken = [
        {"name": name, "seconds": _seconds(name), "reason": _reason(folder, name)}
        for name in health.broken_names(path)
    ]
    problem = health.inbox(path).problem
    lines: list[Line] = [f"{counted(len(waiting), 'capture')} waiting in {folder}"]
    lines += [(item["name"], _described(item)) for item in waiting]
    if broken:
        lines.append(f"{counted(len(broken), 'capture')} set aside; casstore inbox retry --all")
        lines += [(str(item["name"]), str(item["reason"])) for item in broken]
    if problem:
        lines.append(("problem", problem))
    run.answer({"inbox": folder, "waiting": waiting, "broken": broken, "problem": problem}, *lines)


@command.add(
    "settle",
    answers={
        "captures": "captures settled now",
        "versions": "versions they have in the store",
        "broken": "captures set aside now",
        "waiting": "captures that still wait",
    },
)
def settle(run: Run) -> None:
    """Move what waits into the store now.

    The hook's own process in the background does this, and every command that reads. Raises the
    store's error where it cannot take the captures.
    """
    from casstore.settle import settle as settle_all

    with run.open_store(create=True) as store:
        done = settle_all(store)
        if done.problem is not None:
            raise done.problem
        store.pack()
    text = f"settled {counted(done.captures, 'capture')} ({counted(done.versions, 'version')})"
    if done.broken:
        text += f"; set {counted(done.broken, 'capture')} aside, see casstore inbox list"
    run.answer(
        {
            "captures": done.captures,
            "versions": done.versions,
            "broken": done.broken,
            "waiting": done.waiting,
        },
        text,
    )


@command.add(
    "retry",
    answers={
        "retried": "names of the captures put back",
        "captures": "captures settled now",
        "broken": "captures set aside again",
    },
)
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="Retry every capture that was set aside.")
def retry(run: Run, name: str | None, every: bool) -> None:
    """Put a capture that was set aside back, and settle it.

    Harmless where it is still broken: it is set aside again. Exit code 3 where that happens.
    """
    from casstore.hook import health
    from casstore.settle import settle as settle_all

    path = run.store_path
    folder = boxes.inbox_of(path)
    known = health.broken_names(path)
    if every:
        names = known
    elif name is None:
        raise click.UsageError("give the NAME of a capture that was set aside, or --all")
    else:
        names = [name]
    for one in names:
        if one not in known:
            raise NotFound(f"no capture named {one!r} was set aside in {folder}", name=one)
        os.rename(os.path.join(folder, boxes.BROKEN, one), os.path.join(folder, one))
    with run.open_store(create=True) as store:
        done = settle_all(store)
    if done.problem is not None:
        raise done.problem
    for one in set(names) - set(health.broken_names(path)):
        _forget_reason(folder, one)
    run.answer(
        {"retried": names, "captures": done.captures, "broken": done.broken},
        f"retried {counted(len(names), 'capture')}: {done.captures} settled, "
        f"{done.broken} set aside again",
    )
    if done.broken:
        click.get_current_context().exit(3)


def _waiting(folder: str, name: str) -> dict[str, Any]:
    item: dict[str, Any] = {"name": name, "seconds": _seconds(name)}
    try:
        capture = boxes.read(os.path.join(folder, name))
    except (boxes.BrokenCapture, OSError) as error:
        return {**item, "fault": str(error)}
    header = capture.header
    return {
        **item,
        "session_id": header.get("session_id"),
        "tool_name": header.get("tool_name"),
        "files": [file.get("path") for file in header["files"]],
        "bytes": sum(len(body) for body in capture.bodies if body is not None),
        "fault": None,
    }


def _described(item: dict[str, Any]) -> str:
    if item["fault"] is not None:
        return f"cannot be read: {item['fault']}"
    return f"{item['tool_name']} in session {item['session_id']}: {', '.join(item['files'])}"


def _seconds(name: str) -> float | None:
    age = boxes.age(name)
    return None if age is None else round(age, 3)


def _reason(folder: str, name: str) -> str:
    try:
        path = os.path.join(folder, boxes.BROKEN, f"{name}.reason")
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(2000).strip()
    except OSError:
        return "no reason was kept"


def _forget_reason(folder: str, name: str) -> None:
    try:
        os.unlink(os.path.join(folder, boxes.BROKEN, f"{name}.reason"))
    except OSError:
        return
