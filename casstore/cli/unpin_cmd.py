"""``casstore unpin``: takes a pin away."""

from __future__ import annotations

import click

from casstore.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(answers={"version_id": "the version", "changed": "false where it was not pinned"})
@click.argument("revision", metavar="REV", type=shared.Text())
def command(run: Run, revision: str) -> None:
    """Take the pin of a version away. The version stays."""
    with run.open_store() as store:
        version = run.version(store, revision).id
        changed = store.unpin(version)
    word = "is no longer pinned" if changed else "was not pinned"
    run.answer({"version_id": version, "changed": changed}, f"version {version} {word}")
