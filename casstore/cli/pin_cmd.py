"""``casstore pin``: keeps a version from being deleted."""

from __future__ import annotations

import click

from casstore.cli import shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(
    answers={"version_id": "the version", "changed": "false where it was pinned already"}
)
@click.argument("revision", metavar="REV", type=shared.Text())
def command(run: Run, revision: str) -> None:
    """Keep a version: it is not deleted before it is unpinned."""
    with run.open_store() as store:
        version = run.version(store, revision).id
        changed = store.pin(version)
    word = "is pinned" if changed else "was pinned already"
    run.answer({"version_id": version, "changed": changed}, f"version {version} {word}")
