"""The command line as a whole: what it finds, imports, refuses, and how every run ends."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import casstore
from casstore import cli, errors
from casstore.cli import ending, shared
from casstore.cli.app import app
from casstore.cli.reference import helps
from tests.cli.conftest import Run, environment, runner

WF = Path("projects", "demo", "inputs", "wf.json")
COMMANDS = {path.removeprefix("casstore ") for path, _ in helps()} - {"casstore"}


def test_the_commands_of_this_release_are_there() -> None:
    assert {"save", "restore", "info", "where", "sql", "migrate", "pack"} <= COMMANDS


@pytest.fixture
def new_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module added to the package: ``tell_me_cmd.py``."""
    (tmp_path / "tell_me_cmd.py").write_text(
        '"""A command."""\n'
        "from casstore.cli import shared\n"
        '@shared.command(answers={"store": "the store"})\n'
        "def command(run):\n"
        '    """Tell the store."""\n'
        '    run.answer({"store": run.store}, str(run.store))\n'
    )
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "casstore.cli.tell_me_cmd", raising=False)
    importlib.invalidate_caches()
    return "tell-me"


def test_a_command_is_one_new_module(new_module: str, run: Run) -> None:
    assert run(new_module, "--store", "x").text == "x\n"
    assert run("--json", "--store", "x", new_module).body == {"store": "x"}
    assert run("--store", "x", new_module, "--store", "y").text == "y\n"
    assert re.search(r"^  tell-me  +Tell the store\.$", run("--help").text, re.MULTILINE)
    assert "JSON:\n  store  the store\n" in run(new_module, "-h").text
    assert run("tell_me").code == 2


def test_a_group_is_a_command_with_commands(run: Run) -> None:
    group = shared.group(name="hook", help="Wire it.")

    @group.add("install", answers={"done": "true"})
    @click.option("--user", is_flag=True)
    def install(run: cli.run.Run, user: bool) -> None:
        """Install it."""
        run.answer({"done": user}, "done")

    def ask(*arguments: str) -> tuple[int, str]:
        done = runner().invoke(group, arguments)
        return done.exit_code, done.stdout + done.stderr

    assert ask("install", "--user", "--json") == (0, '{"done":true}\n')
    assert ask("install") == (0, "done\n")
    assert "  install  Install it.\n" in ask("--help")[1]
    assert ask("instal")[0] == 2
    assert "did you mean install?" in ask("instal")[1]


def test_running_a_command_imports_no_other_command_and_no_heavy_library(project: Path) -> None:
    script = (
        "import sys\n"
        "from casstore.cli.app import app\n"
        "try: app.main(['where'])\n"
        "except SystemExit: pass\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment()
    )
    modules = set(done.stdout.splitlines()[-1].split())
    assert {name for name in modules if name.endswith("_cmd")} == {"casstore.cli.where_cmd"}
    assert not modules & {"sqlite3", "orjson", "zstandard", "json", "casstore.store"}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help_and_the_common_options(run: Run, command: str) -> None:
    text = run(*command.split(), "--help").text
    assert text.startswith(f"Usage: casstore {command} ")
    assert all(len(line) <= 80 for line in text.splitlines())
    if "Commands:" not in text:
        assert "--store PATH" in text
        assert "--json" in text
        assert "JSON:" in text


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("save", ["-", "--session", "s"]),
        ("info", []),
        ("where", []),
        ("pack", []),
        ("sql", ["SELECT 1"]),
        ("migrate", ["host/.cache/checkpoint.sqlite"]),
        ("restore", ["--session", "s", "--to", "new.json"]),
    ],
)
def test_help_lists_the_keys_that_json_answers_with(
    saved: Run, command: str, arguments: list[str]
) -> None:
    made = app.get_command(click.Context(app), command)
    assert isinstance(made, shared.Command)
    keys = list(saved(command, "--json", *arguments, stdin=b"{}").body)
    if command == "restore":
        assert set(keys) | set(saved(command, "--version", 2, "--json").body) == set(made.answers)
    else:
        assert keys == list(made.answers)


def test_without_a_command_it_shows_its_help_and_ends_with_2(run: Run) -> None:
    answer = run()
    assert (answer.code, answer.out) == (2, b"")
    assert answer.err.startswith("Usage: casstore [OPTIONS] COMMAND [ARGS]...")


def test_version(run: Run) -> None:
    assert run("--version").text == f"casstore {casstore.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sav",), "there is no command 'sav'; did you mean save? (see casstore --help)"),
        (("--no", "info"), "No such option"),
        (("info", "--no"), "No such option"),
        (("info", "extra"), "Got unexpected extra argument (extra) (see casstore info --help)"),
        (("info", "--store"), "Option '--store' requires an argument"),
        (("info", "--store", ""), "Invalid value for '--store': the name of the file is empty"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    answer = run(*arguments)
    assert answer.code == 2
    assert answer.out == b""
    assert answer.err.startswith(f"casstore: {message}")
    assert answer.err.count("\n") == 1
    for asked in (("--json", *arguments), (*arguments, "--json")):
        if arguments[-1] == "--store":
            continue
        answer = run(*asked)
        assert answer.code == 2
        assert answer.error["code"] == "usage"


def test_behind_two_hyphens_json_is_no_option(run: Run) -> None:
    answer = run("info", "--", "--json")
    assert (answer.code, answer.out) == (2, b"")


def test_an_unknown_command_lists_the_commands(run: Run) -> None:
    assert "the commands are " in run("zzz").err
    assert " save, " in run("zzz").err


ERRORS = [
    (errors.UsageError, 2),
    (errors.InvalidDocument, 2),
    (errors.NoStore, 10),
    (errors.StoreBusy, 11),
    (errors.FormatNotSupported, 12),
    (errors.VersionNotFound, 13),
    (errors.StorageFailed, 14),
    (errors.Damaged, 20),
]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, run: Run) -> object:
    """Runs ``info`` where opening the store raises."""

    def failing(error: BaseException, *arguments: str, **environ: str) -> object:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr("casstore.opening.open_store", fail)
        return run("info", *arguments, **environ)

    return failing


@pytest.mark.parametrize(("kind", "exit_code"), ERRORS)
def test_an_error_of_casstore_ends_with_its_sentence_and_its_exit_code(
    failing: Run, kind: type[errors.CasstoreError], exit_code: int
) -> None:
    error = kind("it broke \x1b[31m here\nthere", path=Path("/x"), at=[1, b"\xff"], many={"a": 1.5})
    answer = failing(error)
    assert answer == (exit_code, b"", "casstore: it broke \\x1b[31m here\\nthere\n")
    answer = failing(error, "--json")
    assert answer.code == exit_code
    assert answer.error == {
        "code": kind.code,
        "message": error.message,
        "path": str(Path("/x")),
        "at": [1, "ff"],
        "many": {"a": 1.5},
    }


def test_a_code_and_an_exit_code_mean_the_same_everywhere() -> None:
    def tree(kind: type[errors.CasstoreError]) -> list[type[errors.CasstoreError]]:
        return [kind, *(found for child in kind.__subclasses__() for found in tree(child))]

    known = {0, 1, 2, 3, 10, 11, 12, 13, 14, 20, 130}
    text = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    for kind in tree(errors.CasstoreError):
        assert kind.exit_code in known
        assert f"\n| {kind.exit_code} | " in text


def test_the_unexpected_is_one_line_and_a_traceback_only_on_request(failing: Run) -> None:
    answer = failing(ZeroDivisionError("by zero"))
    expected = "casstore: unexpected ZeroDivisionError: by zero (CASSTORE_DEBUG=1 shows where)\n"
    assert answer == (1, b"", expected)
    error = failing(ZeroDivisionError("by zero"), "--json").error
    assert error == {"code": "internal", "message": "unexpected ZeroDivisionError: by zero"}
    debugged = failing(ZeroDivisionError("by zero"), CASSTORE_DEBUG="1")
    assert "Traceback (most recent call last)" in debugged.err
    assert debugged.err.endswith(expected)


def test_an_interruption_ends_with_130(failing: Run) -> None:
    answer = failing(KeyboardInterrupt())
    assert (answer.code, answer.out) == (130, b"")
    assert answer.err.endswith("casstore: interrupted\n")
    answer = failing(KeyboardInterrupt(), "--json")
    assert answer.body == {"error": {"code": "interrupted", "message": "interrupted"}}


def test_a_missing_library_names_the_command_that_installs_it(failing: Run) -> None:
    answer = failing(ModuleNotFoundError("No module named 'orjson'", name="orjson"), "--json")
    assert answer.code == 1
    assert answer.error["code"] == "missing_dependency"
    assert answer.error["message"] == (
        f"orjson cannot be loaded by {sys.executable}; "
        f"install it with: {sys.executable} -m pip install casstore"
    )


def test_without_click_the_program_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("casstore.cli.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        f"casstore: click cannot be loaded by {sys.executable}; "
        f"install it with: {sys.executable} -m pip install casstore\n"
    )


def test_the_exit_code_of_a_usage_error_is_clicks() -> None:
    known, _ = ending._known(click.UsageError("wrong."))
    assert (known.exit_code, known.code, known.message) == (2, "usage", "wrong")


def test_a_removed_working_directory_is_a_clear_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> str:
        raise FileNotFoundError

    monkeypatch.setattr("casstore.cli.run.os.getcwd", gone)
    answer = run("info")
    assert answer.code == 2
    assert answer.err == ("casstore: the working directory is gone; change to one that exists\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_code_comes_for_every_shell(
    run: Run, shell: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.shell_completion.BashComplete._check_version", lambda *_: None)
    answer = run(_CASSTORE_COMPLETE=f"{shell}_source")
    assert answer.code == 0
    assert "_CASSTORE_COMPLETE" in answer.text
    assert "casstore" in answer.text


def test_completion_knows_commands_options_and_files(run: Run) -> None:
    def complete(words: str) -> set[str]:
        position = str(len(words.split()) - (not words.endswith(" ")))
        text = run(_CASSTORE_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=position).text
        return set(text.split())

    assert complete("casstore s") == {"plain,save", "plain,sessions", "plain,show", "plain,sql"}
    assert {"plain,--session", "plain,--store"} <= complete("casstore save --s")
    assert complete("casstore save wf") == {"file,wf"}
    assert complete("casstore restore --to ") == {"file,"}
