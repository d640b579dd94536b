"""A project folder with a workflow, and the hook run on it as a process or in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import casstore
from casstore import inbox
from casstore.hook import gate
from casstore.hook.scan import Options, options_from
from tests.support import ROOT

PRE = ROOT / "scripts" / "checkpoint_pre.py"
POST = ROOT / "scripts" / "checkpoint_post.py"
FILE = "projects/demo/inputs/workflow.json"
WORKFLOW = b'{\n  "3": {"class_type": "KSampler", "inputs": {"seed": 7}}\n}\n'

NOBODY = "/bin/true"
"""An interpreter that settles nothing, for tests that look into the inbox."""

Event = dict[str, Any]


class Answer(NamedTuple):
    """How a process ended."""

    code: int
    out: bytes
    err: bytes


class Project:
    """A project folder. Its store is where the default rule puts it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store_path = root / "host" / ".cache" / "checkpoint.sqlite"
        self.inbox = Path(inbox.inbox_of(str(self.store_path)))
        self.environ = {
            **{key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            "CLAUDE_PROJECT_DIR": str(root),
        }
        self.calls = 0

    def write(self, path: str, data: bytes = WORKFLOW) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return file

    def event(self, tool: str, tool_input: Event, **changes: Any) -> Event:
        self.calls += 1
        event: Event = {
            "session_id": "session-1",
            "transcript_path": "/nowhere",
            "cwd": str(self.root),
            "hook_event_name": "PreToolUse",
            "permission_mode": "default",
            "tool_name": tool,
            "tool_input": tool_input,
            "tool_use_id": f"toolu_{self.calls}",
        }
        event.update(changes)
        return event

    def edit(self, path: str = FILE, **changes: Any) -> Event:
        file = path if os.path.isabs(path) else str(self.root / path)
        tool_input = {"file_path": file, "old_string": "7", "new_string": "8"}
        return self.event("Edit", tool_input, **changes)

    def bash(self, command: str, **changes: Any) -> Event:
        return self.event("Bash", {"command": command}, **changes)

    def run(self, event: Event | bytes, *, script: Path = PRE, settle: bool = True) -> Answer:
        """The hook as a process of its own. Without ``settle`` the capture stays in the inbox."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        environ = self.environ if settle else {**self.environ, "CASSTORE_PYTHON": NOBODY}
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(script)],
            input=data,
            capture_output=True,
            env=environ,
            cwd=self.root,
            timeout=60,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def answer(self, event: Event | bytes, **environ: str) -> bytes:
        """What the hook answers, in this process; nothing is settled."""
        data = event if isinstance(event, bytes) else json.dumps(event).encode()
        surroundings = {**self.environ, **environ}
        options: Options = options_from([], surroundings)
        return gate.run(data, options, surroundings, time.perf_counter_ns())

    def captures(self) -> list[inbox.Capture]:
        """What waits in the inbox, by time."""
        return [inbox.read(str(self.inbox / name)) for name in inbox.waiting(str(self.store_path))]

    def captured(self) -> dict[str, bytes | None]:
        """The files of the only capture that waits."""
        (capture,) = self.captures()
        names = [entry["path"] for entry in capture.header["files"]]
        return dict(zip(names, capture.bodies, strict=True))

    def wait(self) -> None:
        """Until the detached process has settled everything."""
        end = time.monotonic() + 60
        while inbox.pending(str(self.store_path)) or not self.store_path.exists():
            assert time.monotonic() < end, os.listdir(self.inbox)
            time.sleep(0.02)

    def open(self) -> casstore.Store:
        return casstore.open_store(self.store_path)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with one workflow. Starting a settling process in this one is switched off."""
    root = tmp_path.resolve() / "repo"
    (root / ".claude").mkdir(parents=True)
    made = Project(root)
    made.write(FILE)
    monkeypatch.setattr("casstore.detach.start_settling", lambda path: False)
    return made
