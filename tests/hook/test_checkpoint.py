"""What a high-value call leaves in the inbox: the facts, the exact bytes, nothing secret."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from casstore import inbox
from casstore.hook import capture as capturing
from casstore.hook.deadline import Deadline
from tests.hook.conftest import FILE, WORKFLOW, Project


def message(answer: bytes) -> str:
    body = json.loads(answer)
    assert list(body) == ["systemMessage"]
    text: str = body["systemMessage"]
    return text


def reason(answer: bytes) -> str:
    body = json.loads(answer)["hookSpecificOutput"]
    assert body["permissionDecision"] == "deny"
    text: str = body["permissionDecisionReason"]
    return text


def paths(project: Project) -> list[str]:
    (capture,) = project.captures()
    return [entry["path"] for entry in capture.header["files"]]


def test_a_file_tool_captures_its_file(project: Project) -> None:
    before = time.time_ns()
    assert project.answer(project.edit(agent_id="agent-9")) == b""
    (capture,) = project.captures()
    assert capture.bodies == [WORKFLOW]
    header = capture.header
    assert before <= header.pop("time_ns") <= time.time_ns()
    assert header.pop("wall_us") >= 0
    assert header.pop("cpu_us") > 0
    assert header == {
        "format": 1,
        "event": "PreToolUse",
        "session_id": "session-1",
        "tool_name": "Edit",
        "tool_use_id": "toolu_1",
        "agent_id": "agent-9",
        "cwd": str(project.root),
        "root": str(project.root),
        "files": [{"path": FILE, "size": len(WORKFLOW), "project": "demo"}],
    }


def test_a_file_that_is_not_there_is_captured_as_absent(project: Project) -> None:
    path = "projects/new/inputs/deep/wf.json"
    event = project.event("Write", {"file_path": str(project.root / path), "content": "{}"})
    assert project.answer(event) == b""
    assert project.captured() == {path: None}


@pytest.mark.parametrize("data", [b"", b"\x00\xff\x89PNG", b"{broken", b"\xef\xbb\xbf{}\r\n"])
def test_any_bytes_are_captured_as_they_are(data: bytes, project: Project) -> None:
    project.write(FILE, data)
    assert project.answer(project.edit()) == b""
    assert project.captured() == {FILE: data}


def test_nothing_of_what_is_written_or_said_is_kept(project: Project) -> None:
    secret = "sk-live-4242"
    file = str(project.root / FILE)
    project.answer(project.event("Write", {"file_path": file, "content": secret}))
    project.answer(
        project.event("Edit", {"file_path": file, "old_string": secret, "new_string": secret})
    )
    project.answer(project.bash(f"KEY={secret} python compile.py demo # {secret}"))
    project.answer(project.event("Skill", {"skill": "x", "args": f"compile.py {secret}"}))
    project.answer(project.bash(f"python compile.py demo {secret}", prompt=secret))
    assert len(project.captures()) == 5
    for file_ in project.store_path.parent.rglob("*"):
        if file_.is_file():
            assert secret.encode() not in file_.read_bytes(), file_


def test_a_command_captures_the_inputs_of_its_project(project: Project) -> None:
    project.write("projects/demo/inputs/a.png", b"\x89PNG")
    project.write("projects/demo/inputs/sub/b.json", b"[]")
    project.write("projects/other/inputs/c.json")
    project.write("projects/demo/outputs/d.json")
    assert project.answer(project.bash("python scripts/compile.py projects/demo")) == b""
    assert paths(project) == [
        "projects/demo/inputs/sub/b.json",
        FILE,
        "projects/demo/inputs/a.png",
    ]
    (capture,) = project.captures()
    assert capture.header["project_from"] == "command"
    assert {entry["project"] for entry in capture.header["files"]} == {"demo"}


def test_a_command_captures_the_workflows_it_names_first(project: Project) -> None:
    project.write("flows/base.json", b"[1]")
    assert project.answer(project.bash(f"python compile.py flows/base.json {FILE}")) == b""
    assert paths(project) == [FILE, "flows/base.json"]
    (capture,) = project.captures()
    assert "project" not in capture.header["files"][1]


def test_a_command_without_a_project_means_the_one_of_its_session(project: Project) -> None:
    project.write("projects/other/inputs/c.json", b"[3]")
    project.answer(project.edit(session_id="a"))
    project.answer(project.edit("projects/other/inputs/c.json", session_id="b"))
    for session, expected in (("a", FILE), ("b", "projects/other/inputs/c.json")):
        project.answer(project.bash("python submit_prompt.py", session_id=session))
        last = project.captures()[-1].header
        assert [entry["path"] for entry in last["files"]] == [expected]
        assert last["project_from"] == "session"


def test_a_session_without_a_project_means_the_one_that_changed_last(project: Project) -> None:
    newer = project.write("projects/other/inputs/c.json", b"[3]")
    for _ in range(2):
        os.utime(project.root / FILE, ns=(10**18, 10**18))
    os.utime(newer, ns=(4 * 10**18, 4 * 10**18))
    project.answer(project.bash("python submit_prompt.py"))
    (capture,) = project.captures()
    assert paths(project) == ["projects/other/inputs/c.json"]
    assert capture.header["project_from"] == "newest"


def test_a_command_where_there_is_no_project_captures_nothing(project: Project) -> None:
    (project.root / FILE).unlink()
    os.rmdir(project.root / "projects/demo/inputs")
    assert project.answer(project.bash("python submit_prompt.py")) == b""
    assert project.captures() == []


def test_a_skill_captures_like_a_command(project: Project) -> None:
    assert project.answer(project.event("Skill", {"skill": "compile.py", "args": FILE})) == b""
    assert project.captured() == {FILE: WORKFLOW}


def test_a_new_file_that_a_command_names_is_absent(project: Project) -> None:
    new = "projects/demo/inputs/new.json"
    assert project.answer(project.bash(f"cp {FILE} {new}")) == b""
    assert project.captured() == {FILE: WORKFLOW, new: None}


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_is_captured_where_it_leads(project: Project) -> None:
    project.write("flows/base.json", b"[1]")
    (project.root / "projects/demo/inputs/l.json").symlink_to(project.root / "flows/base.json")
    assert project.answer(project.edit("projects/demo/inputs/l.json")) == b""
    assert project.captured() == {"flows/base.json": b"[1]"}


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
@pytest.mark.parametrize("how", ["link", "dots", "absolute", "folder"])
def test_nothing_outside_the_project_is_read(
    how: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = project.root.parent / "secret" / "projects" / "x" / "inputs" / "s.json"
    secret.parent.mkdir(parents=True)
    secret.write_text("secret")
    inputs = project.root / "projects/demo/inputs"
    (inputs / "l.json").symlink_to(secret)
    (inputs / "d").symlink_to(secret.parent)
    path = {
        "link": "projects/demo/inputs/l.json",
        "dots": "../secret/projects/x/inputs/s.json",
        "absolute": str(secret),
        "folder": "projects/demo/inputs/d/s.json",
    }[how]
    text = message(project.answer(project.event("Edit", {"file_path": path})))
    assert "leads out of the project" in text
    assert project.captures() == []
    assert "leads out" in reason(
        project.answer(project.event("Edit", {"file_path": path}), CASSTORE_HOOK_STRICT="1")
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
def test_other_files_left_out_are_told_once_in_a_session(project: Project) -> None:
    outside = project.root.parent / "model.bin"
    outside.write_text("x")
    inputs = project.root / "projects/demo/inputs"
    (inputs / "model.bin").symlink_to(outside)
    os.mkfifo(inputs / "pipe.json")
    first = project.answer(project.bash("python compile.py projects/demo"))
    assert "model.bin leads out of the project" in message(first)
    assert project.captured() == {FILE: WORKFLOW}
    assert project.captures()[0].header["left_out"] == [
        {"path": "projects/demo/inputs/model.bin", "reason": "outside"}
    ]
    assert project.answer(project.bash("python compile.py projects/demo")) == b""
    other = project.bash("python compile.py projects/demo", session_id="another")
    assert project.answer(other) != b""
    # in strict mode too: they are no reason to refuse
    assert b"deny" not in project.answer(project.bash("compile.py"), CASSTORE_HOOK_STRICT="1")


def test_a_file_too_large_is_told_each_time(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capturing, "MAX_FILE", 100)
    project.write(FILE, b"x" * 101)
    for event in (project.edit(), project.edit(), project.bash(f"sed -i s/a/b/ {FILE}")):
        assert "is larger than" in message(project.answer(event))
    assert project.captures() == []
    assert "is larger than" in reason(project.answer(project.edit(), CASSTORE_HOOK_STRICT="1"))


def test_a_picture_is_captured_up_to_its_own_limit(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capturing, "MAX_OTHER_FILE", 100)
    project.write("projects/demo/inputs/small.png", b"x" * 100)
    project.write("projects/demo/inputs/large.png", b"x" * 101)
    assert "large.png" in message(project.answer(project.bash("python compile.py projects/demo")))
    assert sorted(project.captured()) == ["projects/demo/inputs/small.png", FILE]
    # named by the call, it is owed like any workflow
    file = str(project.root / "projects/demo/inputs/large.png")
    assert project.answer(project.event("Write", {"file_path": file})) == b""


def test_one_command_captures_a_bounded_number_of_files_and_bytes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capturing, "MAX_FILES", 3)
    for number in range(5):
        project.write(f"projects/demo/inputs/{number}.json", b"x" * 10)
    text = message(project.answer(project.bash("python compile.py projects/demo")))
    assert "3.json comes after 3 files, and 2 more" in text.replace("100", "3")
    assert len(project.captured()) == 3
    (capture,) = project.captures()
    assert [item["reason"] for item in capture.header["left_out"]] == ["too_many"] * 3
    os.unlink(project.inbox / capture.name)
    monkeypatch.setattr(capturing, "MAX_FILES", 100)
    monkeypatch.setattr(capturing, "MAX_TOTAL", 25)
    text = message(project.answer(project.bash("python compile.py projects/demo")))
    assert "2.json comes after" in text
    assert sum(len(body or b"") for body in project.captured().values()) == 20


def test_the_first_of_many_left_out_are_listed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capturing, "MAX_FILES", 1)
    for number in range(40):
        project.write(f"projects/demo/inputs/{number:02}.json")
    project.answer(project.bash("python compile.py projects/demo"))
    (capture,) = project.captures()
    assert len(capture.header["left_out"]) == 21
    assert capture.header["left_out"][-1] == {"path": "20 more", "reason": "not_listed"}


@pytest.mark.parametrize("label", [None, "", 5, "a\0b", "\ud800", "x" * 10_000, "../../x"])
def test_no_checkpoint_is_lost_for_its_session_label(label: Any, project: Project) -> None:
    assert project.answer(project.edit(session_id=label)) == b""
    (capture,) = project.captures()
    kept = capture.header["session_id"]
    assert kept
    assert "\0" not in kept
    kept.encode()


def test_an_event_that_cannot_be_read_is_a_failure(project: Project) -> None:
    data = json.dumps(project.edit()).encode()
    assert "cannot be read" in message(project.answer(data[:-10]))
    assert "cannot be read" in reason(project.answer(data[:-10], CASSTORE_HOOK_STRICT="1"))


@pytest.mark.parametrize(
    "changes",
    [
        {"hook_event_name": "PostToolUse"},
        {"hook_event_name": "Stop"},
        {"hook_event_name": "beforeShellExecution"},
        {"tool_name": "Read"},
        {"tool_name": None},
        {"tool_input": None},
        {"tool_input": []},
        {"tool_input": {"file_path": 5}},
        {"tool_input": {"file_path": ["projects/demo/inputs/wf.json"]}},
    ],
)
def test_what_does_not_concern_the_hook_is_passed_over(
    changes: dict[str, Any], project: Project
) -> None:
    strict = {"CASSTORE_HOOK_STRICT": "1"}
    assert project.answer({**project.edit(), **changes}, **strict) == b""
    assert not project.inbox.exists()


def test_an_event_without_a_name_is_taken_for_the_hooks_own(project: Project) -> None:
    event = project.edit()
    del event["hook_event_name"]
    assert project.answer(event) == b""
    assert project.captured() == {FILE: WORKFLOW}


STEPS = ["open", "write", "fsync", "rename", "mkdir"]


@pytest.mark.parametrize("step", STEPS)
def test_an_inbox_that_cannot_be_written_is_a_failure_and_a_line_in_the_log(
    step: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    if step != "mkdir":
        project.inbox.mkdir(parents=True)
    real = getattr(inbox.system, step)

    def full(*arguments: Any, **named: Any) -> Any:
        writes = step != "open" or str(arguments[0]).endswith(inbox.TEMPORARY)
        if writes and (step != "write" or arguments[1][:8] == inbox.MAGIC):
            raise OSError(28, "No space left on device")
        return real(*arguments, **named)

    monkeypatch.setattr(inbox.system, step, full)
    text = message(project.answer(project.edit()))
    refused = reason(project.answer(project.edit(), CASSTORE_HOOK_STRICT="1"))
    monkeypatch.undo()
    assert "No space left on device" in text
    assert "No space left on device" in refused
    if step != "mkdir":
        assert not project.captures()
        lines = Path(f"{project.store_path}.hook.log").read_text().splitlines()
        assert len(lines) == 2


def test_any_other_fault_is_a_failure_too(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("casstore.hook.checkpoint.gather", broken)
    assert "no checkpoint before Edit: MemoryError" in message(project.answer(project.edit()))


def test_what_was_read_before_the_deadline_is_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casstore.hook.reading import Root

    project.write("projects/demo/inputs/a.json", b"[]")
    real = Root.read

    def slow(self: Root, relative: str, limit: int) -> Any:
        if relative == FILE:
            raise Deadline
        return real(self, relative, limit)

    monkeypatch.setattr(Root, "read", slow)
    text = message(project.answer(project.bash("python compile.py projects/demo")))
    assert f"{FILE} was not read in time" in text
    assert project.captured() == {"projects/demo/inputs/a.json": b"[]"}


def test_a_deadline_in_the_writing_is_a_failure(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*arguments: Any) -> Any:
        raise Deadline

    monkeypatch.setattr(inbox.system, "fsync", slow)
    assert "within 2 s" in message(project.answer(project.edit()))
    monkeypatch.undo()
    assert os.listdir(project.inbox) == []


def test_a_lasting_problem_of_settling_is_told(project: Project) -> None:
    project.answer(project.edit())
    (project.inbox / inbox.PROBLEM).write_text("zstandard is not installed\n")
    assert "zstandard is not installed" in message(project.answer(project.edit()))
    strict = project.answer(project.edit(), CASSTORE_HOOK_STRICT="1")
    assert "zstandard is not installed" in message(strict)  # the capture is safe: no refusal
    assert len(project.captures()) == 3


def test_settling_that_does_not_start_is_only_logged(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: str) -> bool:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("casstore.detach.start_settling", broken)
    assert project.answer(project.edit()) == b""
    assert project.captured() == {FILE: WORKFLOW}
    log = Path(f"{project.store_path}.hook.log").read_text()
    assert "settling was not started: Cannot allocate memory" in log


def test_the_store_named_by_the_environment_has_its_own_inbox(
    project: Project, tmp_path: Path
) -> None:
    store = tmp_path / "elsewhere" / "my.db"
    assert project.answer(project.edit(), COMFYUI_AGENT_CHECKPOINT_DB=str(store)) == b""
    assert inbox.pending(str(store))
    assert not project.inbox.exists()
