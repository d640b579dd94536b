"""Keeps ``docs/cli.md`` true: what it says of each command is that command's ``--help``.

    python -m casstore.cli.reference docs/cli.md

writes the help of every command between the two marks in the file; the rest is written by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from casstore.cli import shared
from casstore.cli.app import NAME, app

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

START = "<!-- commands: written by python -m casstore.cli.reference -->\n"
END = "<!-- end of commands -->\n"


def refreshed(document: str) -> str:
    """The document with the present help of every command between its marks."""
    before, _, rest = document.partition(START)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"the document lacks the lines {START!r} and {END!r}")
    parts = [f"### `{path}`\n\n```text\n{text}\n```\n\n" for path, text in helps()]
    return f"{before}{START}\n{''.join(parts)}{END}{after}"


def helps() -> Iterator[tuple[str, str]]:
    """Every command, with its path (``casstore save``) and its help for 80 columns."""
    yield from _helps(app, NAME, None)


def _helps(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[tuple[str, str]]:
    settings = {**command.context_settings, "terminal_width": shared.WIDTH}
    ctx = click.Context(command, parent, info_name=name, **settings)
    yield ctx.command_path, command.get_help(ctx)
    if isinstance(command, click.Group):
        for child in command.list_commands(ctx):
            found = command.get_command(ctx, child)
            assert found is not None
            yield from _helps(found, child, ctx)


if __name__ == "__main__":
    for file in map(Path, sys.argv[1:]):
        file.write_text(refreshed(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
