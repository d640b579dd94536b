"""`migrate` copies a plain database that stays as it is into a store, once, with its ids where they
are free."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import casstore
from casstore import takeover
from casstore.backends.sqlite.plain import NotTakenOver
from casstore.errors import CasstoreError, NoStore, StorageFailed, StoreBusy, UsageError
from casstore.takeover import Migrated, migrate, take_over
from tests.takeover import plainfiles
from tests.takeover.plainfiles import COPILOT, DOCUMENTED, ROWS, Row, make

INSERT = "INSERT INTO workflow_version VALUES (?, ?, ?, ?, ?, ?)"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source").mkdir()
    return make(tmp_path / "source" / "workflow_debug.db", table=COPILOT)


@pytest.fixture
def destination(tmp_path: Path) -> Path:
    return tmp_path / "new" / "checkpoint.sqlite"


def filled(path: Path, versions: int) -> Path:
    """A store with versions of its own."""
    with casstore.open_store(path) as store:
        for number in range(versions):
            store.save("own", {"own": number})
    return path


def after(rows: list[Row], ids: list[int]) -> list[Row]:
    return [(row_id, *row[1:]) for row_id, row in zip(ids, rows, strict=True)]


def test_a_new_store_keeps_ids_and_the_source_stays(source: Path, destination: Path) -> None:
    before = source.read_bytes()
    done = migrate(source, destination)
    assert done == Migrated(str(source), str(destination), 4, 0, (), 0, ())
    assert plainfiles.store_rows(destination) == ROWS
    assert source.read_bytes() == before
    assert list(source.parent.iterdir()) == [source]


def test_the_counter_of_the_source_is_kept(tmp_path: Path, destination: Path) -> None:
    then = ["DELETE FROM workflow_version WHERE id = 9"]
    source = make(tmp_path / "s.db", table=DOCUMENTED, then=then)
    migrate(source, destination)
    assert plainfiles.counter(destination) == 9


def test_a_store_with_versions_gives_new_ids_in_order(source: Path, destination: Path) -> None:
    filled(destination, 3)
    done = migrate(source, destination)
    assert done.versions == 4
    assert done.renumbered == ((1, 4), (2, 5), (5, 6))
    assert plainfiles.store_rows(destination)[3:] == after(ROWS, [4, 5, 6, 9])


def test_the_new_ids_can_be_looked_up_in_the_store(source: Path, destination: Path) -> None:
    migrate(source, filled(destination, 3))
    connection = sqlite3.connect(destination)
    marks = connection.execute("SELECT capture, id FROM versions WHERE capture IS NOT NULL")
    assert [(int(mark.split(":")[1]), new) for mark, new in marks] == [(1, 4), (2, 5), (5, 6)]
    connection.close()


@pytest.mark.parametrize("own", [0, 3])
def test_a_second_run_copies_nothing(source: Path, destination: Path, own: int) -> None:
    filled(destination, own)
    migrate(source, destination)
    before = plainfiles.store_rows(destination)
    done = migrate(source, destination)
    assert (done.versions, done.present, done.renumbered) == (0, 4, ())
    assert plainfiles.store_rows(destination) == before


@pytest.mark.parametrize("own", [0, 3])
def test_a_second_run_copies_what_is_new_or_changed(
    source: Path, destination: Path, own: int
) -> None:
    filled(destination, own)
    migrate(source, destination)
    with sqlite3.connect(source) as connection:
        connection.execute(INSERT, (30, "s", "{}", None, None, "t"))
        connection.execute("UPDATE workflow_version SET workflow_data_ui = '{}' WHERE id = 2")
    connection.close()
    done = migrate(source, destination)
    assert (done.versions, done.present) == (2, 3)
    assert done.renumbered == ((2, 10),)
    rows = plainfiles.store_rows(destination)
    assert rows[-2:] == [
        (10, "a", ROWS[1][2], "{}", "{}", "x"),
        (30, "s", "{}", None, None, "t"),
    ]


def test_two_sources_into_one_store(tmp_path: Path, destination: Path) -> None:
    one = make(tmp_path / "one.db", ROWS[:2])
    two = make(tmp_path / "two.db", after(ROWS[2:], [1, 2]))
    migrate(one, destination)
    assert migrate(two, destination).renumbered == ((1, 3), (2, 4))
    assert plainfiles.store_rows(destination) == after(ROWS, [1, 2, 3, 4])
    assert migrate(one, destination).present == 2
    assert migrate(two, destination).present == 2


def test_columns_that_a_store_does_not_keep_are_named(tmp_path: Path, destination: Path) -> None:
    then = [
        "ALTER TABLE workflow_version ADD COLUMN author TEXT DEFAULT 'me'",
        "CREATE TABLE blobs (x)",
    ]
    source = make(tmp_path / "s.db", then=then)
    assert migrate(source, destination).left_out == ("column author",)
    assert plainfiles.store_rows(destination) == ROWS


def test_a_plain_destination_is_taken_over_first(source: Path, tmp_path: Path) -> None:
    destination = make(tmp_path / "plain.sqlite", [(2, "s", "{}", None, None, "t")])
    assert migrate(source, destination).renumbered == ((1, 3), (2, 4))
    rows = after(ROWS, [3, 4, 5, 9])
    assert plainfiles.store_rows(destination) == [(2, "s", "{}", None, None, "t"), *rows]
    assert len(plainfiles.beside(destination)) == 1


def test_a_row_that_cannot_be_kept_leaves_the_destination_as_it_was(
    source: Path, destination: Path
) -> None:
    with sqlite3.connect(source) as connection:
        connection.execute(INSERT, (40, "a\x00", "{}", None, None, "t"))
    connection.close()
    filled(destination, 2)
    with pytest.raises(NotTakenOver) as caught:
        migrate(source, destination)
    assert caught.value.details["row"] == 40
    assert [row[0] for row in plainfiles.store_rows(destination)] == [1, 2]


def test_progress_counts_rows(
    source: Path, destination: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(takeover, "_PAUSE", 0)
    seen: list[tuple[int, int]] = []
    migrate(source, destination, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 4), (1, 4), (1, 4), (2, 4), (2, 4), (3, 4), (3, 4), (4, 4), (4, 4)]


def test_the_source_is_one_state_and_nobody_writes_to_it(
    source: Path, destination: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = sqlite3.connect(source, timeout=0, isolation_level=None)
    errors = []

    def write(*_: int) -> None:
        try:
            writer.execute(INSERT, (50, "late", "{}", None, None, "t"))
        except sqlite3.OperationalError as error:
            errors.append(str(error))

    monkeypatch.setattr(takeover, "_PAUSE", 0)
    migrate(source, destination, progress=write)
    writer.close()
    assert set(errors) == {"database is locked"}
    assert plainfiles.store_rows(destination) == ROWS


def test_a_source_in_wal_mode_with_commits_in_the_log(tmp_path: Path, destination: Path) -> None:
    source = tmp_path / "s.db"
    writer = sqlite3.connect(source)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute(COPILOT)
    writer.executemany(INSERT, ROWS)
    writer.commit()
    before = source.read_bytes()
    migrate(source, destination)
    assert source.read_bytes() == before
    assert plainfiles.store_rows(destination) == ROWS
    writer.close()


def test_a_source_left_in_the_middle_of_a_write(tmp_path: Path, destination: Path) -> None:
    source = tmp_path / "s.db"
    connection = sqlite3.connect(tmp_path / "live.db")
    connection.execute(COPILOT)
    connection.executemany(INSERT, ROWS)
    connection.commit()
    connection.execute("PRAGMA cache_spill = 1")
    connection.execute("PRAGMA cache_size = 1")
    text = "x" * 50_000
    connection.execute("UPDATE workflow_version SET workflow_data = ?", (text,))
    source.write_bytes((tmp_path / "live.db").read_bytes())
    (tmp_path / "s.db-journal").write_bytes((tmp_path / "live.db-journal").read_bytes())
    connection.rollback()
    connection.close()
    before = source.read_bytes()
    with pytest.raises(StorageFailed, match="in the middle of a write"):
        migrate(source, destination)
    assert source.read_bytes() == before
    take_over(source)  # which may write, and so brings the last whole state back
    assert plainfiles.store_rows(source) == ROWS


def test_what_is_no_source(tmp_path: Path, destination: Path) -> None:
    cases: list[tuple[str, bytes | None, type[CasstoreError], str]] = [
        ("none.db", None, NoStore, "no file"),
        ("text.db", b"hello, this is text" * 100, CasstoreError, "not a SQLite file"),
        ("empty.db", b"", NotTakenOver, "no table workflow_version"),
    ]
    for name, content, kind, words in cases:
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(kind, match=words):
            migrate(tmp_path / name, destination)
    filled(tmp_path / "store.sqlite", 1)
    with pytest.raises(NotTakenOver, match="store already"):
        migrate(tmp_path / "store.sqlite", destination)
    assert not destination.exists()


def test_source_and_destination_are_two_files(source: Path) -> None:
    with pytest.raises(UsageError):
        migrate(source, source.parent / ".." / source.parent.name / source.name)
    assert plainfiles.kind(source) == "plain"


def test_a_busy_destination(source: Path, destination: Path) -> None:
    filled(destination, 1)
    writer = sqlite3.connect(destination, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy):
        migrate(source, destination, timeout=0)
    writer.execute("ROLLBACK")
    writer.close()
    assert migrate(source, destination, timeout=0).versions == 4
