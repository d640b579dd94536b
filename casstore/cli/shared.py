"""What every command has in common: ``--store`` and ``--json``, and a list of its JSON keys.

    from casstore.cli import shared

    @shared.command(answers={"packed": "blobs packed"})
    @click.option("--limit", type=int)
    def command(run: Run, limit: int | None) -> None:
        \"\"\"Help; its first sentence is the command's line in ``casstore --help``.\"\"\"

A group of subcommands is ``command = shared.group(help="…")`` with functions under
``@command.add("install", answers={…})``. A command ends with ``run.answer(values, *lines)``,
raises `casstore.CasstoreError` for what is wrong, and calls ``ctx.exit(3)`` for done in part.
"""

from __future__ import annotations

import functools
from difflib import get_close_matches

import click

from casstore.cli.run import Run
from casstore.cli.terminal import proper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from click.shell_completion import CompletionItem

WIDTH = 80
"""Columns that help is made for."""

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": WIDTH}


# click's class is generic from 8.4 on, to type checkers and at run time
class FileName(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The name of a file, which shells complete."""

    name = "file"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuses an empty name, which a shell makes of an unset variable."""
        return value or self.fail("the name of the file is empty", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leaves it to the shell."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class Text(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Text that is no file's name: UTF-8 also where the locale says otherwise."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Undoes the decoding by the locale."""
        return proper(value)


class Command(click.Command):
    """A command that lists in its help what ``--json`` answers with."""

    def __init__(self, *arguments: Any, answers: Mapping[str, str], **settings: Any) -> None:
        settings.setdefault("context_settings", SETTINGS)
        super().__init__(*arguments, **settings)
        self.answers = dict(answers)
        self.params += common_options()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("JSON"):
            formatter.write_dl(list(self.answers.items()))
        super().format_epilog(ctx, formatter)


class Group(click.Group):
    """A command with subcommands."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings.setdefault("context_settings", SETTINGS)
        settings["no_args_is_help"] = False  # see parse_args
        super().__init__(*arguments, **settings)

    def add(
        self, name: str, *, answers: Mapping[str, str], **settings: Any
    ) -> Callable[[Callable[..., None]], Command]:
        """Decorates the function of the subcommand ``name``; as `command` else."""

        def decorate(function: Callable[..., None]) -> Command:
            made = command(answers=answers, name=name, **settings)(function)
            self.add_command(made, name)
            return made

        return decorate

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        known = self.list_commands(ctx)
        if name in known or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"the commands are {', '.join(known)}"
        raise click.UsageError(f"there is no command {name!r}; {hint}", ctx)


def command(
    *, answers: Mapping[str, str], **settings: Any
) -> Callable[[Callable[..., None]], Command]:
    """Decorates the function of a command, which gets the `Run` before its own parameters.

    ``answers`` names the keys of the JSON object and says what each is.
    """

    def decorate(function: Callable[..., None]) -> Command:
        @functools.wraps(function)
        def call(*arguments: Any, **values: Any) -> None:
            function(_run(click.get_current_context()), *arguments, **values)

        return click.command(cls=Command, answers=answers, **settings)(call)

    return decorate


def group(**settings: Any) -> Group:
    """A group of subcommands; ``help`` is its help."""
    return Group(**settings)


def common_options() -> list[click.Parameter]:
    """``--store`` and ``--json``, valid before and after the name of a command."""
    return [
        click.Option(
            ["--store"],
            metavar="PATH",
            type=FileName(),
            is_eager=True,
            expose_value=False,
            callback=_remember_store,
            help="The store's file; default: see casstore where --help.",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_remember_json,
            help="Answer with one JSON object on stdout.",
        ),
    ]


def _run(ctx: click.Context) -> Run:
    return ctx.find_root().ensure_object(Run)


def _remember_store(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        _run(ctx).store = value


def _remember_json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        _run(ctx).json = True
