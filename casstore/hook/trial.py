"""Runs a wired hook command as Claude Code would, on a made-up project, and checks what it did.

The project, its store and the event are made for the trial and removed after it; the project
that the hook is wired in is not touched.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time

from casstore.inbox import inbox_of, pending
from casstore.location import STORE_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NamedTuple
else:
    from casstore._namedtuple import NamedTuple

WORKFLOW = b'{"3": {"class_type": "KSampler", "inputs": {"seed": 1}}}\n'
_PATH = "projects/demo/inputs/workflow.json"
_SETTLE_SECONDS = 20.0


class Trial(NamedTuple):
    """What a run showed. ``fault``: what was not as it should be, None where all was."""

    exit_code: int
    output: str
    milliseconds: float
    captured: bool
    settled: bool
    fault: str | None


def run(command: Sequence[str], environ: Mapping[str, str]) -> Trial:
    """Runs the command on an ``Edit`` of a workflow, and waits until its capture is settled."""
    with tempfile.TemporaryDirectory(prefix="casstore-trial-") as folder:
        project = os.path.join(os.path.realpath(folder), "project")
        target = os.path.join(project, *_PATH.split("/"))
        os.makedirs(os.path.dirname(target))
        with open(target, "wb") as file:
            file.write(WORKFLOW)
        store = os.path.join(project, "trial.sqlite")
        settings = {**environ, "CLAUDE_PROJECT_DIR": project, STORE_VARIABLE: store}
        started = time.perf_counter()
        try:
            done = subprocess.run(
                list(command),
                input=json.dumps(_event(project, target)).encode(),
                capture_output=True,
                cwd=project,
                env=settings,
                timeout=30,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Trial(-1, "", 0.0, False, False, f"the command does not run: {error}")
        milliseconds = round((time.perf_counter() - started) * 1e3, 1)
        captured = os.path.isdir(inbox_of(store))
        settled = captured and _settled(store)
        output = (done.stdout + done.stderr).decode("utf-8", "replace")[:2000]
        fault = _fault(done.returncode, output, captured, settled)
        return Trial(done.returncode, output, milliseconds, captured, settled, fault)


def _event(project: str, target: str) -> dict[str, object]:
    return {
        "session_id": "casstore-trial",
        "cwd": project,
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": "Edit",
        "tool_input": {"file_path": target, "old_string": "1", "new_string": "2"},
        "tool_use_id": "toolu_casstore_trial",
    }


def _settled(store: str) -> bool:
    """Waits for the detached process, then compares the bytes in the store."""
    end = time.monotonic() + _SETTLE_SECONDS
    while pending(store) or not os.path.exists(store):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    from casstore.opening import open_store

    with open_store(store, create=False) as opened:
        return any(
            info.path == _PATH and opened.restore_source(info.version_id) == WORKFLOW
            for info in opened.versions("casstore-trial")
        )


def _fault(code: int, output: str, captured: bool, settled: bool) -> str | None:
    if code:
        return f"the hook ended with exit code {code}"
    if output:
        return "the hook wrote something where a captured call is answered with nothing"
    if not captured:
        return "nothing was captured"
    return None if settled else "the capture did not reach the store; see casstore hook status"
