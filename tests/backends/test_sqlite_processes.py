"""One file, many processes: made once, written in turns, complete after a kill, usable after a
fork."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from casstore import Store, StoreBusy, open_store
from tests.support import ROOT

FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# Waits for a line on stdin, so that all processes begin at once.
_PROLOGUE = """
import json, sqlite3, sys
import casstore
from casstore.backends.sqlite import backend, connection
wal = sys.argv[2] == "wal"
backend.wants_wal = lambda path: wal
casstore.open_store
print("ready", flush=True)
sys.stdin.readline()
"""

_SAVES = """
store = casstore.open_store(sys.argv[1], timeout=60)
ids = [store.save(sys.argv[3], {"n": n, "pad": ["x"] * 100}).version_id for n in range(10)]
print(json.dumps([ids, store.info().journal_mode]))
store.close()
"""

_SAVES_UNTIL_KILLED = """
store = casstore.open_store(sys.argv[1], timeout=60)
n = 0
while True:
    n += 1
    value = {"n": n, "pad": [str(i * i) for i in range(500)]}
    saved = store.save(sys.argv[3], value, {"ui": n})
    print(saved.version_id, n, flush=True)
"""


def _start(code: str, path: Path, mode: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _PROLOGUE + code, str(path), mode, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def _go(processes: list[subprocess.Popen[str]]) -> None:
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


@pytest.mark.parametrize("mode", ["persist", "wal"])
def test_eight_processes_may_make_the_store_at_once(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "deep" / "folder" / "s.sqlite"
    processes = [_start(_SAVES, path, mode, f"session {n}") for n in range(8)]
    _go(processes)
    ids: list[int] = []
    for process in processes:
        out, err = process.communicate()
        assert err == ""
        made, journal = json.loads(out)
        assert made == sorted(made)
        assert journal == mode
        ids += made
    assert sorted(ids) == list(range(1, 81))
    with open_store(path, create=False) as store:
        assert [s.versions for s in store.sessions()] == [10] * 8
        assert store.info().blobs == 10
        for version_id in ids:
            assert store.restore(version_id).workflow_data["pad"] == ["x"] * 100
    [(answer,)] = sqlite3.connect(path).execute("PRAGMA integrity_check")
    assert answer == "ok"


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("mode", ["persist", "wal"])
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "s.sqlite"
    acknowledged: dict[int, tuple[str, int]] = {}
    for turn in range(3):
        names = [f"{turn}/{n}" for n in range(2)]
        processes = [_start(_SAVES_UNTIL_KILLED, path, mode, name) for name in names]
        _go(processes)
        lines: list[tuple[str, str]] = []
        for name, process in zip(names, processes, strict=True):
            assert process.stdout is not None  # some saves each; then another is under way
            lines += [(name, process.stdout.readline()) for _ in range(5 + 3 * turn)]
        for process in processes:
            process.send_signal(signal.SIGKILL)
        for name, process in zip(names, processes, strict=True):
            assert process.stdout is not None
            assert process.stderr is not None
            lines += [(name, line) for line in process.stdout if line.endswith("\n")]
            assert process.stderr.read() == ""
            process.wait()
            process.communicate()
        for name, line in lines:
            made, number = line.split()
            acknowledged[int(made)] = (name, int(number))
    with open_store(path) as store:
        for version_id, (session, expected) in acknowledged.items():
            version = store.restore(version_id)
            assert version.session_id == session
            assert version.workflow_data["n"] == expected
            assert version.workflow_data_ui == {"ui": expected}
        versions = list(store.versions())
        assert len(versions) - len(acknowledged) <= 3 * 2
        for each in versions:  # and what was not acknowledged is whole or not there
            version = store.restore(each.version_id)
            assert version.workflow_data["n"] == version.workflow_data_ui["ui"]
        assert store.save("after", {}).version_id > max(acknowledged)


def test_a_lock_of_another_process_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    open_store(path).close()
    code = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "connection.execute('BEGIN IMMEDIATE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.readline()\n"
        "connection.execute('COMMIT')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "locked\n"
    impatient, patient = open_store(path, timeout=0.05), open_store(path, timeout=60)
    with pytest.raises(StoreBusy):
        impatient.save("a", {"x": 1})
    threading.Timer(0.2, lambda: process.communicate("\n")).start()
    assert patient.save("a", {"x": 1}).version_id == 1
    assert impatient.save("a", {"x": 2}).version_id == 2
    process.wait()
    impatient.close()
    patient.close()


def _in_child(work: Any) -> str:
    """Runs it in a forked child; gives what it answers or raises, and ``hangs`` after 20 s."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = str(work())
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    killer = threading.Timer(20, os.kill, (child, signal.SIGKILL))
    killer.start()
    with os.fdopen(read) as answers:
        answer = answers.read()
    os.waitpid(child, 0)
    killer.cancel()
    return answer or "hangs"


@FORK
@pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")
class TestFork:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Any:
        with open_store(tmp_path / "s.sqlite", timeout=1) as store:
            yield store

    def test_parent_and_child_go_on_with_an_open_store(self, store: Store) -> None:
        store.save("a", {"n": 1})

        def child() -> int:
            assert store.restore(1).workflow_data == {"n": 1}
            return store.save("child", {"n": 2}).version_id

        assert _in_child(child) == "2"
        assert store.save("a", {"n": 3}).version_id == 3
        assert _in_child(lambda: store.save("child", {"n": 4}).version_id) == "4"
        assert store.restore(session_id="child").workflow_data == {"n": 4}
        assert [v.version_id for v in store.versions()] == [1, 2, 3, 4]

    def test_a_child_of_a_child_goes_on_too(self, store: Store) -> None:
        def child() -> str:
            store.save("child", {"n": 1})
            return _in_child(lambda: store.save("grandchild", {"n": 2}).version_id)

        assert _in_child(child) == "2"
        assert store.save("a", {"n": 3}).version_id == 3

    def test_a_child_closes_its_own_and_leaves_the_parents(self, store: Store) -> None:
        store.save("a", {"n": 1})

        def child() -> str:
            store.restore(1)
            store.close()
            return "closed"

        assert _in_child(child) == "closed"
        assert store.save("a", {"n": 2}).version_id == 2

    def test_a_fork_in_the_middle_of_a_transaction_harms_nothing(self, store: Store) -> None:
        store.save("a", {"n": 1})
        with store._backend.transaction():
            store.save("a", {"n": 2})
            assert _in_child(lambda: [v.version_id for v in store.versions()]) == "[1]"
            store.save("a", {"n": 3})
        assert [v.version_id for v in store.versions()] == [1, 2, 3]

    def test_a_fork_while_another_thread_waits_for_its_turn(self, store: Store) -> None:
        """Whatever locks that thread holds, nobody would ever give them back in the child."""
        store.save("a", {"n": 1})
        for use in (
            lambda: store.save("thread", {"n": 2}),
            lambda: store.restore(1),
            lambda: list(store.versions()),
        ):
            with store._backend.transaction():
                thread = threading.Thread(target=use)
                thread.start()
                time.sleep(0.1)  # it waits for this block to end by then, or the test is easier
                answer = _in_child(lambda: store.restore(1).workflow_data)
            thread.join()
            assert answer == "{'n': 1}"

    def test_a_fork_while_other_threads_save(self, store: Store) -> None:
        stop = threading.Event()
        saved: list[int] = []

        def work() -> None:
            while not stop.is_set():
                saved.append(store.save("threads", {"n": len(saved)}).version_id)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for turn in range(10):
                answer = _in_child(
                    lambda turn=turn: _patiently(lambda: store.save("child", {"turn": turn}))
                )
                assert answer == "done"
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert len(list(store.versions("child"))) == 10
        assert len(list(store.versions("threads"))) == len(saved)


def _patiently(save: Any) -> str:
    for _ in range(100):
        try:
            save()
        except StoreBusy:
            continue
        return "done"
    return "busy"
