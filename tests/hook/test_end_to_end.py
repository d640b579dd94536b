"""The installed hook, run as Claude Code runs it: the command of settings.json, JSON on stdin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from casstore import inbox
from casstore.cli.app import app
from tests.hook.conftest import FILE, WORKFLOW, Event, Project


def wire(project: Project, *options: str) -> None:
    done = CliRunner().invoke(app, ["hook", "install", "--project", str(project.root), *options])
    assert done.exit_code == 0, done.output


def commands(project: Project, event: str, tool: str) -> list[list[str]]:
    """What Claude Code runs for an event: every handler whose matcher has the tool's name."""
    settings = json.loads((project.root / ".claude" / "settings.json").read_text())
    found = []
    for group in settings["hooks"].get(event, []):
        if tool in group["matcher"].split("|"):
            for handler in group["hooks"]:
                words = [handler["command"], *handler["args"]]
                root = str(project.root)
                found.append([word.replace("${CLAUDE_PROJECT_DIR}", root) for word in words])
    return found


def call(project: Project, event: Event, **environ: str) -> list[bytes]:
    """Runs the hooks of an event; their answers."""
    answers = []
    for command in commands(project, event["hook_event_name"], event["tool_name"]):
        done = subprocess.run(
            command,
            input=json.dumps(event, ensure_ascii=False).encode(),
            capture_output=True,
            cwd=project.root,
            env={**project.environ, **environ},
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        answers.append(done.stdout)
    return answers


def versions(project: Project) -> list[tuple[str | None, bytes | None]]:
    with project.open() as store:
        return [(info.path, store.restore_source(info.version_id)) for info in store.versions()]


def test_an_edit_a_breaking_edit_a_command_and_the_way_back(project: Project) -> None:
    wire(project)
    file = project.root / FILE
    first = WORKFLOW
    assert call(project, project.edit()) == [b""]
    broken = first.replace(b"}}\n}", b"}")
    file.write_bytes(broken)
    assert call(project, project.edit()) == [b""]
    third = b'{"3": {"class_type": "KSampler", "inputs": {"seed": 8, "text": "\xc3\xa9"}}}\r\n'
    file.write_bytes(third)
    assert call(project, project.bash("python compile.py projects/demo")) == [b""]
    file.write_bytes(b"")
    assert call(project, project.bash(f"cp {FILE} projects/demo/inputs/copy.json")) == [b""]
    project.wait()
    assert versions(project) == [
        (FILE, first),
        (FILE, broken),
        (FILE, third),
        (FILE, b""),
        ("projects/demo/inputs/copy.json", None),
    ]
    with project.open() as store:
        infos = list(store.versions())
        formats = [info.attributes["format"] for info in infos]
        assert store.restore(infos[1].version_id).workflow_data is None
        assert store.restore(infos[0].version_id).workflow_data == json.loads(first)
    assert formats == ["api", "text", "api", "text", "absent"]
    for info, data in zip(infos, [first, broken, third], strict=False):
        with project.open() as store:
            source = store.restore_source(info.version_id)
        assert source is not None
        file.write_bytes(source)
        assert file.read_bytes() == data


def test_the_hook_of_settings_and_plugin_at_once_make_one_version(project: Project) -> None:
    wire(project)
    for _ in range(5):
        event = project.edit()
        with ThreadPoolExecutor(4) as pool:
            for answers in pool.map(lambda e: call(project, e), [event] * 4):
                assert answers == [b""]
        project.write(FILE, os.urandom(30).hex().encode())
    project.wait()
    assert len(versions(project)) == 5


def test_a_call_is_not_held_up_by_a_locked_store(project: Project) -> None:
    import sqlite3

    wire(project)
    project.open().close()
    other = sqlite3.connect(project.store_path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    assert call(project, project.edit()) == [b""]
    assert time.monotonic() - began < 5.0  # the store's own timeout, which nobody waited for
    assert inbox.pending(str(project.store_path))
    other.execute("ROLLBACK")
    other.close()
    assert versions(project) == [(FILE, WORKFLOW)]


def test_strict_mode_is_wired_and_refuses(project: Project) -> None:
    wire(project, "--strict")
    project.inbox.parent.mkdir(parents=True)
    project.inbox.write_text("in the way")
    (answer,) = call(project, project.edit())
    assert json.loads(answer)["hookSpecificOutput"]["permissionDecision"] == "deny"
    (answer,) = call(project, project.edit(), CASSTORE_HOOK_STRICT="0")
    assert list(json.loads(answer)) == ["systemMessage"]
    assert call(project, project.edit("README.md")) == [b""]


def test_the_hook_after_a_call_is_wired_on_request(project: Project) -> None:
    wire(project, "--post")
    event = project.edit()
    assert call(project, event) == [b""]
    project.write(FILE, b"[2]")
    assert call(project, {**event, "hook_event_name": "PostToolUse"}) == [b""]
    project.wait()
    assert versions(project) == [(FILE, WORKFLOW), (FILE, b"[2]")]


AGENTS, CALLS = 8, 12


def test_many_agents_at_once_lose_nothing_and_keep_their_order(project: Project) -> None:
    wire(project)
    failures: list[BaseException] = []

    def work(agent: int) -> None:
        try:
            path = f"projects/p{agent}/inputs/wf.json"
            for number in range(CALLS):
                project.write(path, b"[%d]" % number)
                event = project.edit(path, session_id=f"s{agent}")
                event["tool_use_id"] = f"toolu_{agent}_{number}"
                assert call(project, event) == [b""]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(agent,)) for agent in range(AGENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with project.open() as store:  # a reader sees everything that was captured by now
        for agent in range(AGENTS):
            found = [store.restore_source(v.version_id) for v in store.versions(f"s{agent}")]
            assert found == [b"[%d]" % number for number in range(CALLS)]
    project.wait()
    assert not (project.inbox / "broken").exists()
    assert not Path(f"{project.store_path}.hook.log").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of POSIX")
def test_a_project_with_an_odd_name_works(project: Project, tmp_path: Path) -> None:
    odd: Any = tmp_path / 'it\'s a "project" $HOME é'
    os.rename(project.root, odd)
    moved = Project(odd)
    wire(moved)
    assert call(moved, moved.edit()) == [b""]
    assert call(moved, moved.bash(f"sed -i s/a/b/ '{FILE}'")) == [b""]
    moved.wait()
    assert versions(moved) == [(FILE, WORKFLOW), (FILE, WORKFLOW)]
