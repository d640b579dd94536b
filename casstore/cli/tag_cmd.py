"""``casstore tag``: names a version, or lists the names."""

from __future__ import annotations

import click

from casstore.cli import shared, terminal
from casstore.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(
    answers={
        "tag": "the name; not where tags are listed",
        "version_id": "the version it names; likewise",
        "created_at": "when it was set; likewise",
        "tags": "without NAME: list of {tag, version_id, created_at}",
    }
)
@click.argument("name", metavar="[NAME]", required=False, type=shared.Text())
@click.argument("revision", metavar="[REV]", required=False, type=shared.Text())
@click.option("--move", is_flag=True, help="Take the name from the version that has it.")
def command(run: Run, name: str | None, revision: str | None, move: bool) -> None:
    """Give a version a name, or list all names.

    The name is unique in the store and stands for the version wherever a REV does. A tagged
    version is not deleted before it is untagged.

    \b
      casstore tag works demo~1
    """
    if name is not None and revision is None:
        raise UsageError(f"name the version too: casstore tag {name} REV")
    with run.open_store() as store:
        if name is None or revision is None:
            found = list(store.tags())
            values = [
                {"tag": tag.name, "version_id": tag.version_id, "created_at": tag.created_at}
                for tag in found
            ]
            if run.json or not found:
                run.answer({"tags": values}, "no tags yet; casstore tag NAME REV makes one")
                return
            table = terminal.Table(("tag", "version"), width=run.width, color=run.color)
            rows = [(tag.name, str(tag.version_id)) for tag in found]
            run.page([table.part(rows, (False, True))])
            return
        version = run.version(store, revision).id
        made = store.tag(name, version, move=move)
    run.answer(
        {"tag": name, "version_id": version, "created_at": made.created_at},
        f"{name} is version {version}",
    )
