"""``casstore migrate``: brings a plain ``workflow_version`` table into a store."""

from __future__ import annotations

import click

from casstore.cli import shared
from casstore.cli.terminal import counted, size
from casstore.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run
    from casstore.cli.terminal import Line


@shared.command(
    answers={
        "source": "absolute path of SRC",
        "destination": "absolute path of the store",
        "versions": "rows taken over now",
        "present": "rows that the store held already",
        "renumbered": "[id in SRC, id in the store] of the rows whose id was taken",
        "retyped": "values that were numbers or BLOBs and are text of the same content now",
        "left_out": "columns, indexes and triggers of the table that a store does not keep",
        "backup": "path of the copy of SRC as it was; null where SRC stays as it is",
    }
)
@click.argument("source", metavar="SRC", type=shared.FileName())
@click.argument("destination", metavar="[DEST]", type=shared.FileName(), required=False)
def command(run: Run, source: str, destination: str | None) -> None:
    """Take over a plain SQLite file with a workflow_version table.

    Without DEST the file SRC itself becomes a store, after a backup copy beside it. With DEST (or
    --store) its rows are copied into that store, and SRC stays as it is. Every row is compared
    with its original; either all are taken over or none. A row keeps its id unless DEST has given
    that id already.

    \b
      casstore migrate host/.cache/checkpoint.sqlite
      casstore migrate workflow_debug.db host/.cache/checkpoint.sqlite
    """
    if destination is not None and run.store is not None:
        raise UsageError("DEST and --store both name the store; give one of them")
    destination = destination or run.store
    if destination is None:
        _in_place(run, source)
    else:
        _copy(run, source, destination)


def _in_place(run: Run, source: str) -> None:
    from casstore.takeover import take_over

    with run.progress(f"taking over {source}") as progress:
        done = take_over(source, progress=progress)
    values = {
        "source": done.location,
        "destination": done.location,
        "versions": done.versions,
        "present": 0,
        "renumbered": [],
        "retyped": done.retyped,
        "left_out": done.left_out,
        "backup": done.backup,
    }
    if done.backup is None:
        run.answer(values, f"{done.location} is a store already; nothing to do")
        return
    run.answer(
        values,
        f"took over {counted(done.versions, 'version')}",
        ("store", done.location),
        ("on disk", f"{size(done.bytes_after)}, before {size(done.bytes_before)}"),
        ("backup", done.backup),
        *_remarks(done.retyped, done.left_out),
    )


def _copy(run: Run, source: str, destination: str) -> None:
    from casstore.takeover import migrate

    with run.progress(f"copying {source}") as progress:
        done = migrate(source, destination, progress=progress)
    present = f"{done.present:,} were there already" if done.present else ""
    renumbered = "; ".join(f"{old} is {new}" for old, new in done.renumbered[:3])
    more = f" and {len(done.renumbered) - 3:,} more" if len(done.renumbered) > 3 else ""
    run.answer(
        {**done._asdict(), "backup": None},
        f"copied {counted(done.versions, 'version')}",
        ("from", done.source),
        ("store", done.destination),
        *([("present", present)] if present else []),
        *([("new ids", f"{renumbered}{more}")] if renumbered else []),
        *_remarks(done.retyped, done.left_out),
    )


def _remarks(retyped: int, left_out: tuple[str, ...]) -> list[Line]:
    made: list[Line] = []
    if retyped:
        made.append(("retyped", f"{counted(retyped, 'value')} became text of the same content"))
    if left_out:
        made.append(("left out", ", ".join(left_out)))
    return made
