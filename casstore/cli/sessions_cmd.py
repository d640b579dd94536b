"""``casstore sessions``: the sessions of a store, the one saved last first."""

from __future__ import annotations

import click

from casstore.cli import shared, terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(
    answers={
        "sessions": "list of {session_id, versions, first_version, last_version, first_created_at, "
        "last_created_at}",
    }
)
@click.option("-n", "count", metavar="N", type=click.IntRange(min=1), help="At most N sessions.")
def command(run: Run, count: int | None) -> None:
    """List the sessions, the one with the newest version first.

    Reads an index entry of every version, so it takes longer on a large store."""
    from casstore.clock import moment
    from casstore.when import local_text

    with run.open_store() as store:
        found = sorted(store.sessions(), key=lambda session: -session.last_version)[:count]
    if run.json:
        run.answer_each("sessions", (session._asdict() for session in found))
        return
    if not found:
        run.answer({}, "no session yet; casstore save makes one")
        return
    table = terminal.Table(
        ("session", "versions", "last", "saved"), width=run.width, color=run.color
    )
    rows = [
        (
            session.session_id or "",
            f"{session.versions:,}",
            str(session.last_version),
            local_text(moment(session.last_created_at), session.last_created_at),
        )
        for session in found
    ]
    run.page([table.part(rows, (False, True, True, True))])
