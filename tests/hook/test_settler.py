"""The detached process leaves nothing waiting, waits for a busy store, and tells what it cannot."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

import casstore
from casstore import detach, inbox, settler
from casstore.errors import MissingDependency
from tests.hook.captures import put

WF = "projects/demo/inputs/wf.json"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settler, "_step_back", lambda path: None)
    return tmp_path / "store.sqlite"


def run(path: Path) -> None:
    lock = detach.take_lock(inbox.inbox_of(str(path)))
    assert lock is not None
    settler.main([str(path), str(lock)])


def count(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        found: int = connection.execute("SELECT count(*) FROM versions").fetchone()[0]
    connection.close()
    return found


def problem(path: Path) -> str | None:
    file = Path(inbox.inbox_of(str(path))) / inbox.PROBLEM
    return file.read_text() if file.exists() else None


def test_it_makes_the_store_settles_and_packs(path: Path) -> None:
    with casstore.open_store(path, loose=True) as store:
        store.save("s", {"a": "x" * 10_000})
    put(path, {WF: b"[1]"})
    run(path)
    assert count(path) == 2
    with casstore.open_store(path) as store:
        assert store.info().loose == 0
    assert problem(path) is None


def test_it_gives_the_lock_back_at_the_end(path: Path) -> None:
    run(path)
    folder = inbox.inbox_of(str(path))
    lock = detach.take_lock(folder)
    assert lock is not None
    detach.give_back(folder, lock)


def test_a_capture_that_comes_as_it_ends_is_settled(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, {WF: b"[1]"}, moment=1)
    real = detach.give_back
    late = [2, 3]

    def giving_back(folder: str, lock: int) -> None:
        if late:  # written while the lock was still held: its hook started nobody
            assert detach.take_lock(folder) is None
            put(path, {WF: b"[2]"}, moment=late.pop())
        real(folder, lock)

    monkeypatch.setattr(detach, "give_back", giving_back)
    run(path)
    assert count(path) == 3
    assert not inbox.pending(str(path))


def test_it_ends_where_another_has_taken_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(path, {WF: b"[1]"}, moment=1)
    real = detach.give_back
    taken: list[int | None] = []

    def giving_back(folder: str, lock: int) -> None:
        real(folder, lock)
        put(path, {WF: b"[2]"}, moment=2)
        taken.append(detach.take_lock(folder))

    monkeypatch.setattr(detach, "give_back", giving_back)
    run(path)
    assert count(path) == 1
    assert len(taken) == 1
    real("", taken[0] or -1)


def test_a_busy_store_is_tried_again_and_then_left(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    casstore.open_store(path).close()
    put(path, {WF: b"[1]"})
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waits: list[float] = []
    real = casstore.open_store
    monkeypatch.setattr("casstore.opening.open_store", lambda path: real(path, timeout=0.01))
    monkeypatch.setattr("time.sleep", waits.append)
    run(path)
    assert waits == list(settler.BUSY_WAITS)
    assert inbox.pending(str(path))
    assert problem(path) is None  # it will pass

    def freeing(seconds: float) -> None:
        if other.in_transaction:
            other.execute("ROLLBACK")

    monkeypatch.setattr("time.sleep", freeing)
    other.execute("BEGIN IMMEDIATE") if not other.in_transaction else None
    run(path)
    other.close()
    assert count(path) == 1
    assert not inbox.pending(str(path))


def test_a_lasting_problem_is_noted_until_it_is_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, {WF: b"[1]"})

    def missing(path: str) -> casstore.Store:
        raise MissingDependency("the library zstandard is not installed")

    monkeypatch.setattr("casstore.opening.open_store", missing)
    run(path)
    assert problem(path) == "the library zstandard is not installed\n"
    assert inbox.pending(str(path))
    monkeypatch.undo()
    monkeypatch.setattr(settler, "_step_back", lambda path: None)
    run(path)
    assert problem(path) is None
    assert count(path) == 1


def test_a_file_that_is_no_store_is_a_lasting_problem(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to look at" * 100)
    put(path, {WF: b"[1]"})
    run(path)
    assert "not a SQLite file" in (problem(path) or "")
    assert inbox.pending(str(path))


def test_an_unexpected_fault_is_noted_and_not_raised(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(path, {WF: b"[1]"})

    def broken(path: str) -> casstore.Store:
        raise KeyError("x")

    monkeypatch.setattr("casstore.opening.open_store", broken)
    run(path)
    assert "KeyError" in (problem(path) or "")


def test_what_dead_processes_left_is_removed_after_its_time(path: Path) -> None:
    folder = Path(inbox.inbox_of(str(path)))
    (folder / "sessions").mkdir(parents=True)
    (folder / "broken").mkdir()
    now = 2_000_000_000.0
    ages = {
        "a.capture.partial": settler.PARTIAL_SECONDS,
        "broken/b.reason.7.partial": settler.PARTIAL_SECONDS,
        "sessions/s": settler.SESSION_SECONDS,
        "c.capture": settler.SESSION_SECONDS,
        "broken/d.capture": settler.SESSION_SECONDS,
        "settling": settler.SESSION_SECONDS,
    }
    for name, seconds in ages.items():
        for suffix, offset in (("", -60), (".old", 60)):
            stem, dot, ending = name.partition(".")
            file = folder / f"{stem}{suffix}{dot}{ending}"
            file.write_text("")
            os.utime(file, (now - seconds - offset, now - seconds - offset))
    settler.clean(str(folder), now)
    left = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    assert left == sorted(
        [
            "a.capture.partial",
            "broken/b.reason.7.partial",
            "broken/d.capture",
            "broken/d.old.capture",
            "c.capture",
            "c.old.capture",
            "sessions/s",
            "settling",
            "settling.old",
        ]
    )
