"""``casstore untag``: takes a tag away; the version stays."""

from __future__ import annotations

import click

from casstore.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(
    answers={"tag": "the name that was taken away", "version_id": "the version that had it"}
)
@click.argument("name", metavar="NAME", type=shared.Text())
def command(run: Run, name: str) -> None:
    """Take a tag away. The version stays."""
    with run.open_store() as store:
        old = store.untag(name)
    run.answer(
        {"tag": name, "version_id": old.version_id},
        f"{name} no longer names version {old.version_id}",
    )
