"""A store of its own for every test of the contract, and ways to run the two scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"


class Answer(NamedTuple):
    """What a script answered. ``stdout`` is the raw bytes, ``body`` the JSON in them."""

    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.stdout)

    @property
    def error(self) -> dict[str, Any]:
        assert self.stderr == b""
        return self.body["error"]


@pytest.fixture
def store_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "a store with späces" / "checkpoint.sqlite"
    monkeypatch.setenv("COMFYUI_AGENT_CHECKPOINT_DB", str(path))
    return path


def run_script(
    name: str, *arguments: str, data: bytes | None = b"", scripts: Path = SCRIPTS, **environ: str
) -> Answer:
    done = subprocess.run(
        [sys.executable, str(scripts / name), *arguments],
        input=data,
        capture_output=True,
        timeout=120,
        env={**os.environ, **environ},
    )
    return Answer(done.returncode, done.stdout, done.stderr)


def save_script(request: object = None, **environ: str) -> Answer:
    return run_script("save.py", data=json.dumps(request).encode(), **environ)


def restore_script(*arguments: str, **environ: str) -> Answer:
    return run_script("restore.py", *arguments, **environ)
