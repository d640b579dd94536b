"""Other programs at work on the file: what they committed is taken over, and what they could not
commit they are told of."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import casstore
from casstore import takeover
from casstore.errors import StoreBusy
from casstore.takeover import take_over
from tests.takeover import plainfiles
from tests.takeover.plainfiles import DOCUMENTED, ROWS, make

INSERT = "INSERT INTO workflow_version VALUES (20, 'late', '{}', NULL, NULL, 't')"

OPEN = """
import sys
import casstore
print("ready", flush=True)
sys.stdin.readline()
with casstore.open_store(sys.argv[1], timeout=60) as store:
    print([version.version_id for version in store.versions()])
"""


def test_four_processes_open_it_at_once(tmp_path: Path) -> None:
    text = '{"1": {"class_type": "A", "inputs": {"seed": %d}}}'
    rows = [(i, f"s{i % 3}", text % i, None, None, "t") for i in range(1, 301)]
    path = make(tmp_path / "s.sqlite", rows)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=120)[0] for process in processes]
    assert answers == [f"{[row[0] for row in rows]}\n"] * 4
    assert [process.returncode for process in processes] == [0] * 4
    assert plainfiles.store_rows(path) == rows
    assert [file.suffix for file in plainfiles.beside(path)] == [".bak"]


def test_a_writer_that_has_begun_is_waited_for_and_its_row_is_there(tmp_path: Path) -> None:
    path = make(tmp_path / "s.sqlite")
    writer = sqlite3.connect(path)
    writer.execute(INSERT)
    with pytest.raises(StoreBusy):
        take_over(path, timeout=0)
    assert plainfiles.beside(path) == []
    writer.commit()
    writer.close()
    take_over(path, timeout=0)
    assert [row[0] for row in plainfiles.store_rows(path)] == [1, 2, 5, 9, 20]


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_writer_that_comes_too_late_gets_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: str
) -> None:
    path = make(tmp_path / "s.sqlite")
    writer = sqlite3.connect(path, timeout=0)
    writer.execute(f"PRAGMA journal_mode = {journal}")
    errors: list[str] = []

    def write(*_: int) -> None:
        try:
            writer.execute(INSERT)
        except sqlite3.OperationalError as error:
            errors.append(str(error))
        writer.rollback()

    monkeypatch.setattr(takeover, "_PAUSE", 0)
    take_over(path, progress=write)
    *meanwhile, afterwards = errors
    assert set(meanwhile) == {"database is locked"}
    assert afterwards.startswith("no such function: casstore_")
    writer.close()
    assert plainfiles.store_rows(path) == ROWS


def test_a_reader_goes_on_reading_until_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "s.sqlite")
    reader = sqlite3.connect(path, timeout=0)
    seen: list[int] = []

    def read(done: int, total: int) -> None:
        if done < total:
            seen.extend(reader.execute("SELECT count(*) FROM workflow_version").fetchone())

    monkeypatch.setattr(takeover, "_PAUSE", 0)
    take_over(path, progress=read)
    reader.close()
    assert set(seen) == {len(ROWS)}


def test_a_reader_that_does_not_end_makes_it_busy_and_costs_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "s.sqlite")
    before = path.read_bytes()
    reader = sqlite3.connect(path)
    cursor = reader.execute("SELECT id FROM workflow_version")
    assert cursor.fetchone() == (1,)
    with pytest.raises(StoreBusy):
        take_over(path, timeout=0)
    assert plainfiles.beside(path) == []
    cursor.close()
    reader.close()
    assert path.read_bytes() == before
    assert take_over(path, timeout=0).versions == len(ROWS)


def test_a_file_that_another_process_took_over_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "s.sqlite")
    other = take_over

    def first(where: str, **options: float) -> None:
        other(where)
        assert other(where, timeout=options["timeout"]).backup is None

    monkeypatch.setattr(takeover, "take_over", first)
    with casstore.open_store(path) as store:
        assert [version.version_id for version in store.versions()] == [1, 2, 5, 9]
    assert len(plainfiles.beside(path)) == 1


def test_an_old_connection_finds_the_store_readable_as_documented(tmp_path: Path) -> None:
    """What a program that stays open sees afterwards: an error, or the metadata."""
    path = make(tmp_path / "s.sqlite", table=DOCUMENTED)
    old = sqlite3.connect(path)
    assert old.execute("SELECT count(*) FROM workflow_version").fetchone() == (4,)
    take_over(path)
    with pytest.raises(sqlite3.OperationalError, match="casstore_text"):
        old.execute("SELECT * FROM workflow_version").fetchall()
    assert old.execute("SELECT id FROM workflow_version_meta").fetchall() == [
        (1,),
        (2,),
        (5,),
        (9,),
    ]
    old.close()
