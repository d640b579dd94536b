"""How a run of the command line ends badly: one sentence on stderr, the right exit code, no
traceback. With ``--json`` the error is on stdout too, as ``{"error": {"code", "message", …}}``.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress

import click

from casstore.cli.run import Run, json_line
from casstore.cli.terminal import printable
from casstore.errors import CasstoreError, MissingDependency, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DEBUG_VARIABLE = "CASSTORE_DEBUG"


class Interrupted(CasstoreError):
    """The user ended the run; what was not acknowledged was not done."""

    code = "interrupted"
    exit_code = 130


def report(error: BaseException, run: Run, arguments: Sequence[str]) -> int:
    """Says what went wrong; returns the exit code."""
    if run.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(type(error), error, error.__traceback__)
    known, hint = _known(error)
    if run.json or _asks_for_json(arguments):
        with suppress(CasstoreError, click.exceptions.Exit):  # stderr tells it as well
            run.write(json_line({"error": known.as_dict()}))
    with suppress(OSError, AttributeError):  # stderr is full or closed
        prefix = click.style("casstore:", fg="red")  # echo takes it off where it is unwanted
        click.echo(f"{prefix} {printable(known.message)}{hint}", err=True, color=_colored(run))
    return known.exit_code


def _known(error: BaseException) -> tuple[CasstoreError, str]:
    """The error as one of casstore's, and where to read on."""
    if isinstance(error, CasstoreError):
        return error, ""
    if isinstance(error, (click.exceptions.Abort, KeyboardInterrupt)):
        return Interrupted("interrupted"), ""
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, ImportError):
        return MissingDependency(
            f"{error.name or error} cannot be loaded by {sys.executable}; "
            f"install it with: {sys.executable} -m pip install casstore"
        ), ""
    return CasstoreError(f"unexpected {type(error).__name__}: {error}"), (
        f" ({DEBUG_VARIABLE}=1 shows where)"
    )


def _usage(error: click.ClickException) -> tuple[UsageError, str]:
    ctx = getattr(error, "ctx", None)
    made = UsageError(error.format_message().rstrip("."))
    return made, f" (see {ctx.command_path} --help)" if ctx is not None else ""


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """True where ``--json`` stands behind the argument that was wrong, so was not read."""
    options = list(arguments)
    return "--json" in (options[: options.index("--")] if "--" in options else options)


def _colored(run: Run) -> bool:
    return sys.stderr.isatty() and not run.environ.get("NO_COLOR")
