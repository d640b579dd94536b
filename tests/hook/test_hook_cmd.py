"""``casstore hook`` and ``casstore inbox``: what they say, change and end with."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from casstore import inbox
from casstore.cli.app import app
from tests.cli.conftest import runner
from tests.hook.captures import put
from tests.hook.conftest import FILE, NOBODY, WORKFLOW, Project


class Answer(NamedTuple):
    code: int
    body: Any


@pytest.fixture
def cli(project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Runs the command line in the project, with ``--json``; home is an empty folder."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(project.root)

    def run(*words: str, as_json: bool = True) -> Answer:
        done = runner().invoke(app, [*words, *(["--json"] if as_json else [])])
        text = done.stdout
        return Answer(done.exit_code, json.loads(text) if as_json else text)

    return run


def test_install_writes_the_projects_settings_and_says_what(cli: Any, project: Project) -> None:
    code, body = cli("hook", "install")
    path = project.root / ".claude" / "settings.json"
    assert code == 0
    assert body["settings"] == str(path)
    assert body["changed"] is True
    assert body["missing"] == []
    assert [entry["matcher"] for entry in body["entries"]] == [
        "Write|Edit|NotebookEdit",
        "Skill|Bash" if sys.platform != "win32" else "Skill|Bash|PowerShell",
    ]
    assert cli("hook", "install").body["changed"] is False
    assert cli("hook", "uninstall").body == {"settings": str(path), "changed": True}
    assert cli("hook", "uninstall").body == {"settings": str(path), "changed": False}
    assert json.loads(path.read_text()) == {}


def test_install_takes_needles_a_pattern_and_powershell(cli: Any, project: Project) -> None:
    words = ["--needle", "a.py", "--needle", "b.py", "--inputs", "flows/*/in", "--powershell"]
    _, body = cli("hook", "install", *words, "--post", "--strict")
    assert body["entries"][0]["command"][-7:] == [
        "--strict",
        "--needle",
        "a.py",
        "--needle",
        "b.py",
        "--inputs",
        "flows/*/in",
    ]
    assert [entry["event"] for entry in body["entries"]] == ["PreToolUse"] * 2 + ["PostToolUse"] * 2
    assert body["entries"][1]["matcher"] == "Skill|Bash|PowerShell"


def test_user_settings_are_those_in_the_home_folder(cli: Any, tmp_path: Path) -> None:
    _, body = cli("hook", "install", "--user")
    assert body["settings"] == str(tmp_path / "home" / ".claude" / "settings.json")
    assert "CLAUDE_PROJECT_DIR" not in json.dumps(body)
    assert cli("hook", "test", "--user").body["fault"] is None
    assert [w["path"] for w in cli("hook", "status").body["wired"]] == [body["settings"]] * 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["install", "--needle", ""], 2),
        (["install", "--needle", "--strict"], 2),
        (["install", "--user", "--project", "."], 2),
        (["install", "--project", "no/such/folder"], 2),
        (["test"], 13),
    ],
)
def test_what_cannot_be_done_is_an_error(words: list[str], code: int, cli: Any) -> None:
    answer = cli("hook", *words)
    assert answer.code == code
    assert answer.body["error"]["message"]


def test_invalid_settings_are_refused_with_their_place(cli: Any, project: Project) -> None:
    (project.root / ".claude" / "settings.json").write_text('{\n  "a": 1\n  "b": 2\n}')
    for command in ("install", "uninstall", "status"):
        code, body = cli("hook", command)
        assert code == 2
        assert (body["error"]["line"], body["error"]["column"]) == (3, 3)


def test_status_tells_what_is_wrong(cli: Any, project: Project) -> None:
    assert cli("hook", "status").code == 3
    assert cli("hook", "status").body["wired"] == []
    cli("hook", "install")
    code, body = cli("hook", "status")
    assert code == 0
    assert [entry["fault"] for entry in body["wired"]] == [None, None]
    assert (body["waiting"], body["broken"], body["problem"], body["costs"]) == (0, 0, None, None)
    assert body["inbox"] == str(project.inbox)
    path = project.root / ".claude" / "settings.json"
    text = path.read_text()
    for old, new, words in (
        (sys.executable, "/no/python", "does not start"),
        ("checkpoint_pre.py", "gone/checkpoint_pre.py", "there is no script"),
    ):
        path.write_text(text.replace(json.dumps(old)[1:-1], new))
        code, body = cli("hook", "status")
        assert code == 3
        assert words in body["wired"][0]["fault"]


def test_status_tells_what_waits_and_what_it_costs(cli: Any, project: Project) -> None:
    cli("hook", "install")
    for _ in range(3):
        assert project.run(project.edit(), settle=False).code == 0
    (project.inbox / inbox.PROBLEM).write_text("the disk is full\n")
    code, body = cli("hook", "status")
    assert code == 3
    assert (body["waiting"], body["problem"]) == (3, "the disk is full")
    assert body["oldest_seconds"] > 0
    (project.inbox / inbox.PROBLEM).unlink()
    assert cli("inbox", "settle").body == {
        "captures": 3,
        "versions": 3,
        "broken": 0,
        "waiting": 0,
    }
    _, body = cli("hook", "status")
    assert body["waiting"] == 0
    costs = body["costs"]
    assert (costs["captures"], costs["files"], costs["bytes"]) == (3, 1, len(WORKFLOW))
    assert costs["hook_ms"] > 0
    assert costs["settled_ms"] > 0
    assert "cost" in cli("hook", "status", as_json=False).body


def test_test_runs_the_wired_command_and_touches_nothing(cli: Any, project: Project) -> None:
    cli("hook", "install")
    before = sorted(project.root.rglob("*"))
    code, body = cli("hook", "test")
    assert code == 0
    assert body["fault"] is None
    assert (body["captured"], body["settled"], body["output"], body["exit_code"]) == (
        True,
        True,
        "",
        0,
    )
    assert sorted(project.root.rglob("*")) == before


def test_test_tells_what_does_not_work(
    cli: Any, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("hook", "install")
    monkeypatch.setattr("casstore.hook.trial._SETTLE_SECONDS", 0.2)
    monkeypatch.setenv("CASSTORE_PYTHON", NOBODY)
    code, body = cli("hook", "test")
    assert code == 1
    assert (body["captured"], body["settled"]) == (True, False)
    assert "did not reach the store" in body["fault"]
    monkeypatch.setenv("CASSTORE_HOOK_INPUTS", "elsewhere")
    assert cli("hook", "test").body["fault"] == "nothing was captured"


def test_the_inbox_lists_what_waits_and_what_is_broken(cli: Any, project: Project) -> None:
    assert cli("inbox", "list").body == {
        "inbox": str(project.inbox),
        "waiting": [],
        "broken": [],
        "problem": None,
    }
    name = put(project.store_path, {FILE: WORKFLOW, "b.json": None})
    (project.inbox / "00000000000000000001-a.capture").write_bytes(b"broken")
    _, body = cli("inbox", "list")
    broken, good = body["waiting"]
    assert "does not start as a capture" in broken["fault"]
    assert good["seconds"] > 0
    del good["seconds"]
    assert good == {
        "name": name,
        "session_id": "s",
        "tool_name": "Edit",
        "files": [FILE, "b.json"],
        "bytes": len(WORKFLOW),
        "fault": None,
    }
    assert name in cli("inbox", "list", as_json=False).body
    assert cli("inbox", "settle").body["broken"] == 1
    _, body = cli("inbox", "list")
    assert body["waiting"] == []
    assert [item["name"] for item in body["broken"]] == ["00000000000000000001-a.capture"]
    assert "does not start as a capture" in body["broken"][0]["reason"]


def test_a_capture_set_aside_can_be_tried_again(cli: Any, project: Project) -> None:
    name = put(project.store_path, {FILE: WORKFLOW})
    whole = (project.inbox / name).read_bytes()
    (project.inbox / name).write_bytes(whole[:-1])
    assert cli("inbox", "settle").body["broken"] == 1
    code, body = cli("inbox", "retry", name)
    assert (code, body) == (3, {"retried": [name], "captures": 0, "broken": 1})
    (project.inbox / "broken" / name).write_bytes(whole)
    assert cli("inbox", "retry", "--all").body == {"retried": [name], "captures": 1, "broken": 0}
    assert os.listdir(project.inbox / "broken") == []
    with project.open() as store:
        assert [store.restore_source(info.version_id) for info in store.versions()] == [WORKFLOW]
    assert cli("inbox", "retry", name).code == 13
    assert cli("inbox", "retry").code == 2


def test_settling_by_hand_tells_why_it_cannot(cli: Any, project: Project) -> None:
    put(project.store_path, {FILE: WORKFLOW})
    project.store_path.write_bytes(b"no database" * 1000)
    code, body = cli("inbox", "settle")
    assert code == 12
    assert body["error"]["code"] == "format_not_supported"
    assert inbox.pending(str(project.store_path))
