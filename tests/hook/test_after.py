"""The hook after a call keeps what the call changed, named or not, and how it ended."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from casstore.hook import after
from casstore.hook.scan import options_from
from casstore.settle import settle
from tests.hook.conftest import FILE, POST, WORKFLOW, Event, Project


def answer(project: Project, event: Event | bytes, **environ: str) -> bytes:
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    surroundings = {**project.environ, **environ}
    return after.run(data, options_from([], surroundings), surroundings, time.perf_counter_ns())


def done(event: Event, response: Any = None, **changes: Any) -> Event:
    """The event after the call of an event before it."""
    return {**event, "hook_event_name": "PostToolUse", "tool_response": response, **changes}


def later(project: Project, path: str, data: bytes) -> None:
    """Changes a file so that its time is later than any capture's."""
    file = project.write(path, data)
    moment = time.time_ns() + 10**9
    os.utime(file, ns=(moment, moment))


def test_after_a_file_tool_its_file_is_kept_with_the_outcome(project: Project) -> None:
    event = project.edit()
    project.answer(event)
    project.write(FILE, b"[2]")
    assert answer(project, done(event, {"success": True})) == b""
    before, now = project.captures()
    assert (before.bodies, now.bodies) == ([WORKFLOW], [b"[2]"])
    assert "outcome" not in before.header
    assert now.header["event"] == "PostToolUse"
    assert now.header["outcome"] == "done"
    with project.open() as store:
        first, second = store.versions()
    assert "event" not in first.attributes
    assert second.attributes["event"] == "PostToolUse"
    assert second.attributes["outcome"] == "done"


def test_a_file_that_the_call_left_alone_makes_no_second_version(project: Project) -> None:
    event = project.bash("python compile.py projects/demo")
    project.write("projects/demo/inputs/b.json", b"[1]")
    project.answer(event)
    project.write(FILE, b"[2]")
    answer(project, done(event))
    with project.open() as store:
        versions = [(info.path, store.restore_source(info.version_id)) for info in store.versions()]
    assert versions == [
        ("projects/demo/inputs/b.json", b"[1]"),
        (FILE, WORKFLOW),
        (FILE, b"[2]"),
    ]


def test_what_a_command_changed_without_naming_it_is_kept(project: Project) -> None:
    project.write("projects/demo/inputs/same.json", b"[0]")
    os.utime(project.root / "projects/demo/inputs", ns=(1, 1))
    project.answer(project.edit())
    Path(project.inbox / project.captures()[0].name).unlink()
    event = project.bash("python tool.py")
    assert project.answer(event) == b""
    time.sleep(0.1)  # beyond the slack for the kernel's clock
    session = project.inbox / "sessions" / "session-1"
    now = time.time_ns()
    os.utime(session, ns=(now, now))
    later(project, FILE, b"[9]")
    assert answer(project, done(event, {"stdout": "", "interrupted": False})) == b""
    assert project.captured() == {FILE: b"[9]"}
    assert project.captures()[0].header["project_from"] == "session"


@pytest.mark.parametrize(
    "event_of",
    [
        lambda project: project.bash("ls"),
        lambda project: project.edit("src/a.py"),
        lambda project: project.event("Read", {"file_path": FILE}),
        lambda project: project.event("Skill", {"skill": "x"}),
    ],
)
def test_a_call_without_a_known_project_leaves_no_trace(event_of: Any, project: Project) -> None:
    assert answer(project, done(event_of(project))) == b""
    assert not project.inbox.exists()


def test_an_event_before_the_call_is_not_for_it(project: Project) -> None:
    assert answer(project, project.edit()) == b""
    assert answer(project, b"") == b""
    assert answer(project, b'{"PostToolUse') == b""
    assert not project.inbox.exists()


@pytest.mark.parametrize(
    ("changes", "response", "outcome"),
    [
        ({}, {"success": True}, "done"),
        ({}, None, "done"),
        ({}, "text", "done"),
        ({}, {"success": False}, "failed"),
        ({}, {"is_error": True}, "failed"),
        ({}, {"interrupted": True}, "interrupted"),
        ({"hook_event_name": "PostToolUseFailure"}, None, "failed"),
        ({"hook_event_name": "PostToolUseFailure", "is_interrupt": True}, None, "interrupted"),
    ],
)
def test_the_outcome_is_what_the_event_says(
    changes: Event, response: Any, outcome: str, project: Project
) -> None:
    answer(project, done(project.edit(), response, **changes))
    (capture,) = project.captures()
    assert capture.header["outcome"] == outcome


def test_nothing_of_the_response_is_kept(project: Project) -> None:
    answer(project, done(project.edit(), {"stdout": "sk-live-4242", "success": True}))
    assert b"sk-live" not in (project.inbox / project.captures()[0].name).read_bytes()


def test_it_never_refuses(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casstore.hook.capture.MAX_FILE", 1)
    told = answer(project, done(project.edit()), CASSTORE_HOOK_STRICT="1")
    assert list(json.loads(told)) == ["systemMessage"]


def test_as_a_process_it_says_nothing_and_settles(project: Project) -> None:
    event = project.edit()
    assert project.run(event) == (0, b"", b"")
    project.write(FILE, b"{broken")
    assert project.run(done(event), script=POST) == (0, b"", b"")
    project.wait()
    with project.open() as store:
        settle(store)
        found = [store.restore_source(info.version_id) for info in store.versions()]
    assert found == [WORKFLOW, b"{broken"]
    for data in (b"", b"nonsense", b"[" * 100_000, b"PostToolUse"):
        assert project.run(data, script=POST) == (0, b"", b"")
