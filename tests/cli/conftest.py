"""A project folder to stand in, and a way to run the command line in it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from casstore.cli.app import app

ROOT = Path(__file__).resolve().parents[2]

API = (
    b'{\n  "3": {"class_type": "KSampler", "inputs": {"seed": 7, "cfg": 8.0, "b": 1, "a": 2}}\n}\n'
)
UI = '{"nodes": [{"id": 3, "type": "Kämpfer"}], "links": [], "version": 0.4}'.encode()


class Answer(NamedTuple):
    """How a run ended. ``out`` is the bytes on stdout, ``err`` the text on stderr."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def body(self) -> Any:
        """The one JSON object on stdout, which is one line."""
        assert self.out.endswith(b"}\n"), self
        assert self.out.count(b"\n") == 1, self
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error of a run with ``--json``, which stderr tells as well."""
        error: dict[str, Any] = self.body["error"]
        assert self.err.startswith("casstore: "), self
        return error


Run = Callable[..., Answer]


def runner() -> CliRunner:
    """A runner that keeps stdout and stderr apart, as click's does by itself from 8.2 on."""
    try:
        return CliRunner(mix_stderr=False)  # type: ignore[call-arg, unused-ignore]
    except TypeError:
        return CliRunner()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: a project root with two workflow files."""
    folder = tmp_path / "a projéct"
    inputs = folder / "projects" / "demo" / "inputs"
    inputs.mkdir(parents=True)
    (folder / ".git").mkdir()
    (inputs / "wf.json").write_bytes(API)
    (inputs / "ui.json").write_bytes(UI)
    monkeypatch.chdir(folder)
    for name in ("NO_COLOR", "CASSTORE_DEBUG", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def run(project: Path) -> Run:
    """Runs the command line in this process: ``run("save", "wf.json", …)``."""

    def run(*arguments: object, stdin: bytes = b"", **environ: str) -> Answer:
        done = runner().invoke(app, [str(a) for a in arguments], input=stdin, env=environ)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return Answer(done.exit_code, done.stdout_bytes, done.stderr)

    return run


@pytest.fixture
def saved(run: Run) -> Run:
    """As `run`, with three versions there: 1 the API file and 2 the UI file in session ``s``, and
    3 both in session ``both``."""
    inputs = Path("projects", "demo", "inputs")
    assert run("save", inputs / "wf.json", "--session", "s").code == 0
    assert run("save", inputs / "ui.json", "--session", "s").code == 0
    pair = ("--ui", inputs / "ui.json", "--session", "both", "--attributes", '{"why": "both"}')
    assert run("save", inputs / "wf.json", *pair).code == 0
    return run


def process(*arguments: str) -> list[str]:
    """The command line of a real process."""
    return [sys.executable, "-m", "casstore", *arguments]


def environment(**more: str) -> dict[str, str]:
    """Its environment: that of the tests, with this checkout's package first, and stdout buffered
    as it is by default."""
    inherited = {name: v for name, v in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**inherited, "PYTHONPATH": str(ROOT), **more}
