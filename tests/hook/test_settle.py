"""Settling moves each capture into the store once, in order, whatever happens on the way."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import casstore
from casstore import inbox
from casstore.errors import Damaged, MissingDependency, StorageFailed, StoreBusy
from casstore.settle import RECENT, settle
from tests.hook.captures import put
from tests.support import ROOT

WF = "projects/demo/inputs/wf.json"
API = b'{"3": {"class_type": "K", "inputs": {}}}'
UI = b'{"nodes": [], "links": [], "version": 0.4}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def sources(path: Path, session: str = "s") -> list[bytes | None]:
    """The captured bytes of a session's versions, by id."""
    with casstore.open_store(path) as store:
        found = list(store.versions(session))
        return [store.restore_source(info.version_id) for info in found]


def run(path: Path, timeout: float = 5.0) -> Any:
    with casstore.open_store(path, timeout=timeout) as store:
        return settle(store)


def test_a_capture_becomes_a_version_with_its_facts(path: Path) -> None:
    put(path, {WF: API}, moment=250, agent_id="a-1", project_from="session")
    assert run(path)[:4] == (1, 1, 0, 0)
    with casstore.open_store(path) as store:
        (info,) = store.versions()
        version = store.restore(info.version_id)
        assert store.restore_source(info.version_id) == API
    assert version.session_id == "s"
    assert version.workflow_data == json.loads(API)
    assert version.workflow_data_ui is None
    assert version.created_at == "2026-01-31T12:00:00.250+00:00"
    assert info.path == WF
    assert version.attributes == {
        "source": "hook",
        "tool_name": "Edit",
        "tool_use_id": "toolu_250",
        "agent_id": "a-1",
        "project_from": "session",
        "path": WF,
        "project": "demo",
        "format": "api",
    }
    assert not inbox.pending(str(path))


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (API, "api"),
        (UI, "ui"),
        (b'{"prompt":' + API + b"}", "wrapped"),
        (b"[1]", "json"),
        (b"{broken", "text"),
        (b"\x89PNG\xff", "binary"),
        (None, "absent"),
        (b"", "text"),
    ],
)
def test_every_kind_of_file_is_kept_to_the_byte(data: bytes | None, word: str, path: Path) -> None:
    put(path, {WF: data})
    run(path)
    with casstore.open_store(path) as store:
        version = store.restore(session_id="s")
        assert store.restore_source(version.version_id) == data
    assert version.attributes["format"] == word
    assert version.attributes.get("absent", False) is (data is None)
    is_document = word in ("api", "ui", "wrapped", "json")
    assert (version.workflow_data is None) is not is_document
    assert (version.workflow_data_ui is None) is not (word == "ui")


def test_versions_come_in_the_order_of_capture_times(path: Path) -> None:
    for moment in (30, 10, 20, 5, 25):
        put(path, {WF: b"[%d]" % moment, "b.json": b"[0]"}, moment=moment)
    assert run(path)[:2] == (5, 10)
    assert sources(path)[::2] == [b"[5]", b"[10]", b"[20]", b"[25]", b"[30]"]


def test_one_that_lands_late_keeps_its_place(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for moment in range(0, 200, 10):
        put(path, {WF: b"[%d]" % moment}, moment=moment)
    real = casstore.Store.save_file

    def saving(self: casstore.Store, *arguments: Any, **named: Any) -> Any:
        if arguments[1] == b"[50]":
            put(path, {WF: b"[155]"}, moment=155)
        return real(self, *arguments, **named)

    monkeypatch.setattr(casstore.Store, "save_file", saving)
    run(path)
    monkeypatch.undo()
    assert sources(path) == [b"[%d]" % n for n in sorted([*range(0, 200, 10), 155])]


def test_a_second_delivery_makes_no_second_version(path: Path) -> None:
    for _ in range(3):
        put(path, {WF: API, "b.json": None}, moment=1)
    assert run(path)[:2] == (3, 6)
    put(path, {WF: API, "b.json": None}, moment=1)
    run(path)
    assert sources(path) == [API, None]


@pytest.mark.parametrize(
    "changes",
    [{"tool_use_id": "other"}, {"session_id": "s2"}, {"files": "path"}, {"files": "data"}],
)
def test_another_call_session_path_or_content_is_another_version(
    changes: dict[str, Any], path: Path
) -> None:
    put(path, {WF: API}, moment=1)
    if changes.get("files") == "path":
        put(path, {"c.json": API}, moment=1)
    elif changes.get("files") == "data":
        put(path, {WF: API + b" "}, moment=1)
    else:
        put(path, {WF: API}, moment=1, **changes)
    run(path)
    with casstore.open_store(path) as store:
        assert len(list(store.versions())) == 2


def test_without_a_tool_use_id_the_capture_itself_is_what_counts(path: Path) -> None:
    name = put(path, {WF: API}, tool_use_id="")
    put(path, {WF: API}, tool_use_id="")
    run(path)
    put(path, {WF: API}, tool_use_id="", name=name)
    run(path)
    assert len(sources(path)) == 2


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=8))
def test_any_deliveries_settle_to_one_version_a_call_and_content(
    tmp_path_factory: pytest.TempPathFactory, deliveries: list[tuple[int, int]]
) -> None:
    path = tmp_path_factory.mktemp("deliveries") / "store.sqlite"
    for moment, content in deliveries:
        put(path, {WF: b"[%d]" % content}, moment=moment)
    run(path)
    ordered = sorted(dict.fromkeys(deliveries), key=lambda pair: pair[0])
    found = sources(path)
    assert sorted(found) == sorted(b"[%d]" % content for _, content in ordered)  # type: ignore[type-var]


KILLED = """
import os, sys
sys.path.insert(0, {root!r})
import casstore
from casstore import settle as module
from casstore.backends.sqlite import backend
step, name, count = {step!r}, {name!r}, {count!r}
owner = {{"save_file": casstore.Store, "unlink": os, "replace": os,
         "add_version": backend.SqliteBackend, "rename": os}}[name]
real = getattr(owner, name)
left = [count]
def dying(*arguments, **named):
    left[0] -= 1
    if left[0]:
        return real(*arguments, **named)
    if step == "after":
        real(*arguments, **named)
    os.kill(os.getpid(), 9)
setattr(owner, name, dying)
with casstore.open_store({path!r}) as store:
    module.settle(store)
print("survived")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
@pytest.mark.parametrize("step", ["before", "after"])
@pytest.mark.parametrize(
    ("name", "count"),
    [("save_file", n) for n in (1, 2, 3, 4)]
    + [("add_version", n) for n in (1, 2, 4)]
    + [("unlink", 1), ("unlink", 2), ("replace", 1), ("rename", 1)],
)
def test_killed_at_any_step_it_goes_on_where_it_was(
    name: str, count: int, step: str, path: Path
) -> None:
    casstore.open_store(path).close()
    put(path, {WF: b"[1]", "b.json": b"[2]"}, moment=1)
    (Path(inbox.inbox_of(str(path))) / "00000000000000000000-x.capture").write_bytes(b"broken")
    put(path, {WF: b"[3]", "b.json": None}, moment=2)
    code = KILLED.format(root=str(ROOT), step=step, name=name, count=count, path=str(path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == -9, done
    result = run(path)
    assert result.problem is None
    assert sources(path) == [b"[1]", b"[2]", b"[3]", None]
    folder = Path(inbox.inbox_of(str(path)))
    assert not inbox.pending(str(path))
    kept = [file for file in os.listdir(folder / "broken") if not file.endswith(inbox.TEMPORARY)]
    assert sorted(kept) == [
        "00000000000000000000-x.capture",
        "00000000000000000000-x.capture.reason",
    ]


def _settle_in_process(path: str) -> None:
    with casstore.open_store(path, timeout=60) as store:
        while inbox.pending(path):
            assert settle(store).problem is None


def test_many_processes_at_once_settle_each_capture_once(path: Path) -> None:
    casstore.open_store(path).close()
    for moment in range(40):
        put(path, {WF: b"[%d]" % moment}, moment=moment, session_id=f"s{moment % 3}")
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_settle_in_process, args=(str(path),)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    for session in range(3):
        found = sources(path, f"s{session}")
        assert found == [b"[%d]" % moment for moment in range(40) if moment % 3 == session]


@pytest.mark.parametrize(
    "data", [b"", b"nonsense", inbox.MAGIC, inbox.MAGIC + bytes(24), bytes(100_000)]
)
def test_a_broken_capture_is_set_aside_and_blocks_nothing(data: bytes, path: Path) -> None:
    put(path, {WF: b"[1]"}, moment=1)
    folder = Path(inbox.inbox_of(str(path)))
    (folder / "00000000000000000001-a.capture").write_bytes(data)
    assert run(path)[:4] == (1, 1, 1, 0)
    assert sources(path) == [b"[1]"]
    assert (folder / "broken" / "00000000000000000001-a.capture").read_bytes() == data
    reason = (folder / "broken" / "00000000000000000001-a.capture.reason").read_text()
    assert reason.endswith("\n")
    assert len(reason) > 20


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"session_id": ""}, "session_id"),
        ({"session_id": 5}, "session_id"),
        ({"session_id": "a\0b"}, "NUL"),
        ({"session_id": "\ud800"}, "surrogate"),
        ({"time_ns": None}, "time"),
        ({"time_ns": -1}, "time"),
        ({"time_ns": True}, "time"),
        ({"files": [{"size": 3}]}, "path"),
        ({"files": [{"size": 3, "path": 5}]}, "path"),
        ({"tool_name": []}, "tool_name"),
    ],
)
def test_a_header_with_wrong_facts_is_set_aside(
    changes: dict[str, Any], words: str, path: Path
) -> None:
    name = put(path, {WF: b"[1]"}, **changes)
    put(path, {WF: b"[2]"}, moment=9)
    assert run(path)[:4] == (1, 1, 1, 0)
    reason = Path(inbox.inbox_of(str(path))) / "broken" / f"{name}.reason"
    assert words in reason.read_text()
    assert sources(path) == [b"[2]"]


def test_a_file_that_fails_does_not_take_the_others_with_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = put(path, {"a.json": b"[1]", "b.json": b"[2]", "c.json": b"[3]"})
    real = casstore.Store.save_file

    def saving(self: casstore.Store, *arguments: Any, **named: Any) -> Any:
        if named["path"] == "b.json":
            raise KeyError("a fault of the reader's")
        return real(self, *arguments, **named)

    monkeypatch.setattr(casstore.Store, "save_file", saving)
    assert run(path)[:4] == (0, 0, 1, 0)
    monkeypatch.undo()
    assert sources(path) == [b"[1]", b"[3]"]
    reason = Path(inbox.inbox_of(str(path))) / "broken" / f"{name}.reason"
    assert "'b.json': KeyError" in reason.read_text()


@pytest.mark.parametrize("name", ["a\udcff.json", "é 文.json", "a\\b.json", "a\nb.json"])
def test_any_file_name_comes_through(name: str, path: Path) -> None:
    put(path, {f"in/{name}": API})
    assert run(path).problem is None
    with casstore.open_store(path) as store:
        (info,) = store.versions()
        assert info.path is not None
        info.path.encode()
        if "\udcff" in name:
            raw = bytes.fromhex(info.attributes["path_bytes"])
            assert raw == f"in/{name}".encode("utf-8", "surrogateescape")
        else:
            assert info.path == f"in/{name}"


@pytest.mark.parametrize(
    "error",
    [
        StoreBusy("x"),
        StorageFailed("the disk is full"),
        MissingDependency("zstandard"),
        casstore.FormatNotSupported("newer"),
        OSError(5, "Input/output error"),
        MemoryError(),
    ],
)
def test_a_store_that_cannot_take_it_leaves_everything_in_place(
    error: Exception, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [put(path, {WF: b"[%d]" % moment}, moment=moment) for moment in range(3)]
    calls = []

    def saving(*arguments: Any, **named: Any) -> Any:
        calls.append(named)
        raise error

    with casstore.open_store(path) as store:
        monkeypatch.setattr(casstore.Store, "save_file", saving)
        result = settle(store)
    monkeypatch.undo()
    assert len(calls) == 1  # a lock is waited for once
    assert result[:4] == (0, 0, 0, 3)
    assert isinstance(result.problem, casstore.CasstoreError)
    assert inbox.waiting(str(path)) == names
    assert run(path)[:2] == (3, 3)


def test_damage_in_the_store_holds_up_no_other_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, {"a.json": b"[1]"}, moment=1)
    put(path, {"b.json": b"[2]"}, moment=2)
    real = casstore.Store.save_file

    def saving(self: casstore.Store, *arguments: Any, **named: Any) -> Any:
        if named["path"] == "a.json":
            raise Damaged("blob 7")
        return real(self, *arguments, **named)

    monkeypatch.setattr(casstore.Store, "save_file", saving)
    result = run(path)
    monkeypatch.undo()
    assert result[:4] == (1, 1, 0, 1)
    assert isinstance(result.problem, Damaged)
    assert sources(path) == [b"[2]", b"[1]"]


def test_a_locked_store_is_waited_for_no_longer_than_its_timeout(path: Path) -> None:
    casstore.open_store(path).close()
    for moment in range(5):
        put(path, {WF: b"[1]"}, moment=moment)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with casstore.open_store(path, timeout=0.05) as store:
        result = settle(store)
    assert isinstance(result.problem, StoreBusy)
    assert result.waiting == 5
    other.execute("ROLLBACK")
    other.close()
    assert run(path)[:2] == (5, 5)


def test_an_inbox_that_cannot_be_changed_is_a_problem_and_not_an_exception(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, {WF: b"[1]"})

    def refused(name: str) -> None:
        raise PermissionError(13, "Permission denied")

    with casstore.open_store(path) as store:
        monkeypatch.setattr(os, "unlink", refused)
        result = settle(store)
        monkeypatch.undo()
        assert isinstance(result.problem, StorageFailed)
        assert settle(store)[:2] == (1, 1)
    assert sources(path) == [b"[1]"]


def test_every_reader_sees_the_latest_capture(path: Path) -> None:
    with casstore.open_store(path) as store:
        store.save("s", {"a": 1})
        put(path, {WF: API}, moment=1)
        assert store.restore(session_id="s").workflow_data == json.loads(API)
        put(path, {WF: UI}, moment=2)
        assert len(list(store.versions())) == 3
        put(path, {WF: UI + b" "}, moment=3)
        assert store.info().versions == 4


def test_the_last_costs_are_kept(path: Path) -> None:
    for moment in range(30):
        put(path, {WF: b"[%d]" % moment}, moment=moment, wall_us=5, cpu_us=moment)
    run(path)
    lines = (Path(inbox.inbox_of(str(path))) / RECENT).read_text().splitlines()
    assert [json.loads(line)["cpu_us"] for line in lines] == list(range(10, 30))
    assert json.loads(lines[-1])["bytes"] == 4
