"""``casstore rollback``: puts captured files back as they were before an action."""

from __future__ import annotations

import click

from casstore.cli import files, shared
from casstore.cli.terminal import size
from casstore.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run
    from casstore.rollback import Done, Rollback, Step


@shared.command(
    answers={
        "files": "list of {path, action, version_id, created_at, kept_as, undo}; action is write, "
        "remove or nothing; kept_as is the version that holds the state before",
        "dry_run": "true where nothing was changed",
    }
)
@click.argument("path", metavar="[PATH]", required=False, type=shared.FileName())
@click.option(
    "--to", metavar="REV", type=shared.Text(), help="To the state of this version, as in show REV."
)
@click.option("--before", metavar="ID", help="To the state before this tool call (tool_use_id).")
@click.option("--session", metavar="SID", help="All files of this session's last action.")
@click.option(
    "--since",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --session: before all of its actions from version N on.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def command(
    run: Run,
    path: str | None,
    to: str | None,
    before: str | None,
    session: str | None,
    since: int | None,
    dry_run: bool,
) -> None:
    """Put files back as they were before the last captured action.

    A PATH goes back to its newest captured state that differs from the file. The present state
    is kept first, and the answer says how to undo.

    \b
      casstore rollback projects/demo/inputs/wf.json
      casstore rollback --session SID --dry-run
    """
    if sum(choice is not None for choice in (to, before, session)) > 1:
        raise UsageError("name one of --to, --before and --session")
    if path is None and to is None and before is None and session is None:
        raise UsageError("name a PATH, or one of --to, --before and --session")
    if path is not None and session is not None:
        raise UsageError("--session goes back with all files of the session; leave PATH out")
    if since is not None and session is None:
        raise UsageError("--since goes with --session SID")
    from casstore.rollback import Rollback

    root = run.project_root
    inside = None if path is None else files.path_in_project(path, root)
    if path is not None and inside is None:
        raise UsageError(f"{path} is not inside the project {root}", path=path)
    with run.open_store() as store:
        rollback = Rollback(store, root)
        version = None if to is None else run.version(store, to).id
        steps = _plan(rollback, inside, version, before, session, since)
        done = [] if dry_run else rollback.carry_out(steps)
    _answer(run, steps, {one.step.path: one for one in done}, dry_run)


def _plan(
    rollback: Rollback,
    path: str | None,
    to: int | None,
    before: str | None,
    session: str | None,
    since: int | None,
) -> list[Step]:
    if to is not None:
        return [rollback.to_version(to, path)]
    if before is not None:
        return rollback.before_action(before, path)
    if session is not None:
        return rollback.of_session(session, since)
    assert path is not None
    return [rollback.of_path(path)]


def _answer(run: Run, steps: list[Step], done: dict[str, Done], dry_run: bool) -> None:
    values, lines = [], []
    for step in steps:
        kept = done[step.path].kept_as if step.path in done else None
        undo = None if kept is None else f"casstore rollback --to {kept}"
        values.append(
            {
                "path": step.path,
                "action": step.action,
                "version_id": step.version_id,
                "created_at": step.created_at,
                "kept_as": kept,
                "undo": undo,
            }
        )
        lines += _lines(step, undo, dry_run)
    run.answer({"files": values, "dry_run": dry_run}, *lines)


def _lines(step: Step, undo: str | None, dry_run: bool) -> list[str]:
    state = f"version {step.version_id} ({step.created_at})"
    if step.action == "nothing":
        return [f"{step.path} is as in {state}; nothing to do"]
    would = "would be " if dry_run else ""
    if step.target is None:
        what = f"{step.path}: {would}removed, as it did not exist in {state}"
    else:
        what = f"{step.path}: {would}put back as in {state}, {size(len(step.target))}"
    lines = [what]
    if step.passed_over:
        lines.append("  the newest captured state equals the file, so this is the one before it")
    if undo is not None:
        lines.append(f"  undo: {undo}")
    return lines
