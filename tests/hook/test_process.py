"""The hook as a process: what it loads, what it says, how it ends, whatever it is given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.hook.conftest import FILE, NOBODY, PRE, WORKFLOW, Project
from tests.support import ROOT

PACKAGE_SCRIPT = ROOT / "casstore" / "hook" / "checkpoint_pre.py"

GATE = {"", ".hook", ".hook.loading", "._system", ".hook.deadline", ".hook.scan", ".hook.gate"}
JUDGE = {".hook.paths", ".hook.jsonio", ".hook.rules", ".hook.handling"}
KEEP = {".inbox", ".hook.session", ".hook.reading", ".hook.capture", ".hook.outcome"}
KEEP |= {".hook.checkpoint", ".detach"}
COMMAND = {".hook.command"}

LOOK = """
import sys
before = set(sys.modules)
sys.argv[:] = [{script!r}]
import posix
posix._exit = lambda code: posix.write(2, (chr(10).join(set(sys.modules) - before)).encode())
exec(compile(open({script!r}).read(), {script!r}, "exec"), {{
    "__name__": "__main__", "__file__": {script!r}}})
"""


def loaded(project: Project, event: Any) -> set[str]:
    """The modules that the hook imports beyond a bare ``python -I -S``."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LOOK.format(script=str(PRE))],
        input=json.dumps(event).encode(),
        capture_output=True,
        env={**project.environ, "CASSTORE_PYTHON": NOBODY},
        cwd=project.root,
        timeout=60,
    )
    assert done.stdout == b""
    return set(done.stderr.decode().split())


def named(parts: set[str]) -> set[str]:
    return {f"casstore{part}" for part in parts} | {"loading"}


@pytest.mark.skipif(sys.platform == "win32", reason="os is imported there")
def test_the_process_loads_these_modules_and_no_other(project: Project) -> None:
    harmless = loaded(project, project.bash("git status"))
    assert harmless <= named(GATE)
    other_file = loaded(project, project.edit("src/main.py"))
    assert other_file <= named(GATE | JUDGE) | {"_json"}
    captured = loaded(project, project.edit())
    kept = named(GATE | JUDGE | KEEP) | {"_json", "binascii", "fcntl"}
    assert captured <= kept
    command = loaded(project, project.bash("python compile.py projects/demo"))
    assert command <= kept | named(COMMAND)
    assert len(project.captures()) == 2


@pytest.mark.parametrize("script", [PRE, PACKAGE_SCRIPT])
def test_a_captured_call_is_answered_with_nothing(script: Path, project: Project) -> None:
    assert project.run(project.edit(), script=script, settle=False) == (0, b"", b"")
    assert project.captured() == {FILE: WORKFLOW}


def test_a_harmless_call_leaves_no_trace(project: Project) -> None:
    before = sorted(project.root.rglob("*"))
    for event in (
        project.bash("git status"),
        project.edit("src/main.py"),
        project.event("Skill", {"skill": "x"}),
        project.event("Read", {"file_path": FILE}),
    ):
        assert project.run(event) == (0, b"", b"")
    assert sorted(project.root.rglob("*")) == before


def test_a_copied_skill_folder_works_by_itself(project: Project, tmp_path: Path) -> None:
    skill = tmp_path / "my skills" / "comfyui-checkpoint"
    shutil.copytree(ROOT / "scripts", skill / "scripts")
    shutil.copytree(ROOT / "casstore", skill / "casstore")
    script = skill / "scripts" / "checkpoint_pre.py"
    assert project.run(project.edit(), script=script, settle=False) == (0, b"", b"")
    assert project.captured() == {FILE: WORKFLOW}


def test_a_script_without_its_package_says_so(project: Project, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    script = tmp_path / "scripts" / "checkpoint_pre.py"
    if project.run(project.edit(), script=script, settle=False) == (0, b"", b""):
        pytest.skip("casstore is installed for this interpreter, so it was found")
    code, out, err = project.run(project.bash("ls"), script=script)
    assert (code, err) == (0, b"")
    assert "casstore hook status" in json.loads(out)["systemMessage"]
    project.environ["CASSTORE_HOOK_STRICT"] = "1"
    _, out, _ = project.run(project.bash("ls"), script=script)
    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize("state", ["none", "stale", "other python", "garbage", "cut", "checked"])
def test_bytecode_in_any_state_is_no_reason_to_fail(
    state: str, project: Project, tmp_path: Path
) -> None:
    package = tmp_path / "casstore"
    shutil.copytree(ROOT / "casstore", package, ignore=shutil.ignore_patterns("__pycache__"))
    script = package / "hook" / "checkpoint_pre.py"
    assert project.run(project.edit(), script=script, settle=False) == (0, b"", b"")
    files = sorted(package.rglob("*.pyc"))
    assert len(files) > 10
    for file in files:
        data = file.read_bytes()
        if state == "none":
            file.unlink()
        elif state == "stale":
            file.write_bytes(data[:8] + b"\1\2\3\4" + data[12:])
        elif state == "other python":
            file.write_bytes(b"\1\2\r\n" + data[4:])
        elif state == "garbage":
            file.write_bytes(data[:16] + os.urandom(100))
        elif state == "cut":
            file.write_bytes(data[:100])
        else:  # checked by hash: valid, and not for the fast way
            file.write_bytes(data[:4] + b"\3\0\0\0" + data[8:])
    code, out, err = project.run(project.edit(), script=script, settle=False)
    assert (code, err) == (0, b"")
    if state in ("garbage", "cut"):  # an ordinary import fails on them, too
        assert list(json.loads(out)) == ["systemMessage"]
    else:
        assert out == b""
        assert len(project.captures()) == 2


EVENT = json.dumps(
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "compile.py"}}
).encode()

HOSTILE = {
    "empty": b"",
    "white space": b" \n\t",
    "null": b"null",
    "a number": b"5",
    "a list": b"[" + EVENT + b"]",
    "not JSON": b"compile.py projects inputs Write",
    "not JSON, of the event": b'PreToolUse compile.py {"Write"',
    "cut": EVENT[:-3],
    "two events": EVENT + EVENT,
    "UTF-16": EVENT.decode().encode("utf-16"),
    "no UTF-8": EVENT.replace(b"compile", b"\xff\xfe compile"),
    "a byte order mark": b"\xef\xbb\xbf" + EVENT,
    "NUL": EVENT.replace(b"compile", b"\\u0000 compile"),
    "raw NUL": EVENT.replace(b"compile", b"\x00 compile"),
    "nested": b'{"tool_name": "Write", "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "a number of 5000 digits": EVENT[:-1] + b', "n": ' + b"9" * 5000 + b"}",
    "lone surrogates": EVENT.replace(b"compile", b"\\ud800 compile"),
    "a megabyte of words": EVENT.replace(b"compile.py", b"compile.py " + b"a/b " * 250_000),
    "keys twice": EVENT[:-1] + b', "tool_name": "Read"}',
    "a path of a megabyte": json.dumps(
        {"tool_name": "Edit", "tool_input": {"file_path": "projects/a/inputs/" + "x/" * 500_000}}
    ).encode(),
    "a path with NUL": json.dumps(
        {"tool_name": "Edit", "tool_input": {"file_path": "projects/a/inputs/x\0y"}}
    ).encode(),
    "a folder": json.dumps({"tool_name": "Edit", "tool_input": {"file_path": "projects"}}).encode(),
    "a device": json.dumps(
        {"tool_name": "Edit", "tool_input": {"file_path": "/dev/projects/../zero"}}
    ).encode(),
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_ends_with_silence_or_a_message(
    name: str, strict: bool, project: Project
) -> None:
    if strict:
        project.environ["CASSTORE_HOOK_STRICT"] = "1"
    code, out, err = project.run(HOSTILE[name], settle=False)
    assert (code, err) == (0, b"")
    if out:
        assert len(out) < 500
        body = json.loads(out)
        assert list(body) in (["systemMessage"], ["hookSpecificOutput"])
        assert strict or "hookSpecificOutput" not in body


TOOLS = [
    ("Edit", {"file_path": FILE}),
    ("Edit", {"file_path": "src/a.py"}),
    ("Edit", {"file_path": "../projects/x/inputs/y.json"}),
    ("Write", {"file_path": "projects/n/inputs/y.json", "content": "compile.py"}),
    ("NotebookEdit", {"notebook_path": "projects/n/inputs/y.ipynb", "new_source": ""}),
    ("Bash", {"command": "ls"}),
    ("Bash", {"command": "python compile.py"}),
    ("Bash", {"command": f"rm {FILE}"}),
    ("PowerShell", {"command": "python submit_prompt.py"}),
    ("Skill", {"skill": "compile.py"}),
    ("Read", {"file_path": FILE}),
    ("Unknown", {}),
]
FAULTS = ["none", "no space", "no root", "store is a folder", "inbox is a file", "late", "cut"]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("tool", "tool_input"), TOOLS)
def test_no_event_and_no_fault_makes_a_permission_decision(
    tool: str, tool_input: dict[str, Any], fault: str, project: Project, monkeypatch: Any
) -> None:
    data = json.dumps(project.event(tool, tool_input)).encode()
    environ = {}
    if fault == "no space":

        def full(*arguments: Any) -> Any:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("casstore.inbox.system.fsync", full)
    elif fault == "no root":
        environ["CLAUDE_PROJECT_DIR"] = str(project.root / "gone")
    elif fault == "store is a folder":
        project.store_path.mkdir(parents=True)
    elif fault == "inbox is a file":
        project.inbox.parent.mkdir(parents=True)
        project.inbox.write_text("")
    elif fault == "late":
        from casstore.hook.deadline import Deadline

        real, calls = os.fstat, []

        def late(*arguments: Any) -> Any:
            calls.append(arguments)
            if len(calls) == 1:
                raise Deadline
            return real(*arguments)

        monkeypatch.setattr("casstore.hook.reading.system.fstat", late)
    elif fault == "cut":
        data = data[: len(data) // 2]
    answer = project.answer(data, **environ)
    assert b"permission" not in answer
    assert not answer or list(json.loads(answer)) == ["systemMessage"]
    refused = project.answer(data, CASSTORE_HOOK_STRICT="1", **environ)
    assert b"allow" not in refused
    assert b'"ask"' not in refused


def test_a_host_that_never_closes_the_input_is_left_at_the_deadline(project: Project) -> None:
    environ = {**project.environ, "CASSTORE_HOOK_DEADLINE": "0.3"}
    read, write = os.pipe()
    os.write(write, json.dumps(project.edit()).encode())
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(PRE)],
            stdin=read,
            capture_output=True,
            env=environ,
            timeout=60,
        )
    finally:
        os.close(read)
        os.close(write)
    assert done.returncode == 0
    assert "within 0.3 s" in json.loads(done.stdout)["systemMessage"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_no_process_that_the_hook_starts_holds_the_hosts_pipes(project: Project) -> None:
    sleeper = project.root / "sleeper"
    sleeper.write_text("#!/bin/sh\nls -l /proc/$$/fd > fds.txt 2>&1\nexec sleep 30\n")
    sleeper.chmod(0o755)
    project.environ["CASSTORE_PYTHON"] = str(sleeper)
    extra_read, extra = os.pipe()
    os.set_inheritable(extra, True)
    started = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(PRE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=project.environ,
        cwd=project.root,
        pass_fds=[extra],
    ) as process:
        out, err = process.communicate(json.dumps(project.edit()).encode(), timeout=20)
    os.close(extra)
    assert (out, err, process.returncode) == (b"", b"", 0)
    assert os.read(extra_read, 1) == b""  # nobody else has the writing end
    os.close(extra_read)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("closed", [[0], [1], [2], [1, 2], [0, 1, 2]])
def test_streams_that_are_closed_are_no_reason_to_fail(closed: list[int], project: Project) -> None:
    words = " ".join(f"{number}{'<' if number == 0 else '>'}&-" for number in closed)
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {words}', "sh", sys.executable, "-I", "-S", str(PRE)],
        input=json.dumps(project.edit()).encode(),
        capture_output=True,
        env={**project.environ, "CASSTORE_PYTHON": NOBODY},
        cwd=project.root,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(project.captures()) == (0 if 0 in closed else 1)


def test_options_stand_on_the_command_line(project: Project) -> None:
    def run(*words: str) -> None:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(PRE), *words],
            input=json.dumps(project.bash("render.sh projects/demo")).encode(),
            capture_output=True,
            env={**project.environ, "CASSTORE_PYTHON": NOBODY},
            timeout=60,
        )
        assert (done.returncode, done.stdout) == (0, b"")

    run()
    assert project.captures() == []
    run("--strict", "--needle", "render.sh")
    assert project.captured() == {FILE: WORKFLOW}
