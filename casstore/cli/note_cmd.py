"""``casstore note``: puts words on a version."""

from __future__ import annotations

import click

from casstore.cli import shared
from casstore.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(answers={"version_id": "the version", "note": "its note now, or null"})
@click.argument("revision", metavar="REV", type=shared.Text())
@click.argument("text", metavar="[TEXT]", required=False, type=shared.Text())
@click.option("--clear", is_flag=True, help="Take the note away.")
def command(run: Run, revision: str, text: str | None, clear: bool) -> None:
    """Put a note on a version, in place of the one it has; without TEXT show it."""
    if clear and text is not None:
        raise UsageError("--clear takes the note away; leave TEXT out")
    if text is not None and not text.strip():
        raise UsageError("the note is empty; --clear takes a note away")
    with run.open_store() as store:
        version = run.version(store, revision).id
        if clear or text is not None:
            store.note(version, text)
        note = store.marks([version])[version].note
    run.answer(
        {"version_id": version, "note": note},
        f"version {version}: {note}" if note else f"version {version} has no note",
    )
