"""The ``casstore`` command: finds its commands by the names of their modules, imports the one
that runs, and ends every run with one of the documented exit codes.
"""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import click

import casstore
from casstore import cli
from casstore.cli import ending, shared
from casstore.cli.run import Run, settle_stdout, utf8_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "casstore"

_SUFFIX = "_cmd"


class App(shared.Group):
    """The root. Its commands are the modules ``casstore/cli/<name>_cmd.py``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = [module.name for module in pkgutil.iter_modules(cli.__path__)]
        return sorted(
            name.removesuffix(_SUFFIX).replace("_", "-") for name in names if name.endswith(_SUFFIX)
        )

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"{cli.__name__}.{cmd_name.replace('-', '_')}{_SUFFIX}")
        command: click.Command = module.command
        command.name = cmd_name
        return command

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Runs ``args`` (default: the process's own) and ends with `SystemExit`. Also what
        `click.testing.CliRunner` calls."""
        given = arguments[0] if arguments else settings.get("args")
        run = Run()
        utf8_streams()
        try:
            code = super().main(given, NAME, standalone_mode=False, obj=run)
        except SystemExit:  # after completion, or where a pipe closed while click wrote help
            raise
        except BaseException as error:
            code = ending.report(error, run, sys.argv[1:] if given is None else given)
        finally:
            settle_stdout()
        sys.exit(code if isinstance(code, int) else 0)


app = App(
    NAME,
    help="""Keeps every version of a ComfyUI workflow, exactly and small, and gives any of them
    back by session or by id.

    --store and --json may stand before or after the name of a command.""",
    params=[
        *shared.common_options(),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=lambda ctx, _, value: _print_version(ctx) if value else None,
            help="Print the version and exit.",
        ),
    ],
)


def _print_version(ctx: click.Context) -> None:
    click.echo(f"{NAME} {casstore.__version__}")
    ctx.exit()
