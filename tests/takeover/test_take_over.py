"""Opening a plain file makes a store of it that holds every row, and leaves a copy beside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import sys
import time
from pathlib import Path

import pytest

import casstore
from casstore import takeover
from casstore.takeover import TakenOver, take_over
from tests.takeover import plainfiles
from tests.takeover.plainfiles import COPILOT, NO_TYPES, ROWS, make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make(tmp_path / "checkpoint.sqlite")


def test_opening_takes_over_ids_texts_times_and_null(path: Path) -> None:
    with casstore.open_store(path) as store:
        assert store.restore(version_id=2).as_dict() == {
            "version_id": 2,
            "session_id": "a",
            "workflow_data": {"1": {"class_type": "A", "inputs": {"b": 1, "a": 3.5}}},
            "workflow_data_ui": {"nodes": []},
            "attributes": {},
            "created_at": "x",
        }
        assert store.restore(session_id="a").version_id == 9
        assert store.restore(version_id=9).workflow_data == "not JSON {"
        assert store.restore(version_id=5).workflow_data == {"x": 2}
    assert plainfiles.store_rows(path) == ROWS


def test_the_record_says_what_was_done(path: Path) -> None:
    size = path.stat().st_size
    done = take_over(path)
    (backup,) = plainfiles.beside(path)
    assert done == TakenOver(str(path), 4, str(backup), 0, (), size, path.stat().st_size)


def test_the_backup_is_the_file_as_it_was_and_private(path: Path) -> None:
    original = path.read_bytes()
    done = take_over(path)
    assert done.backup is not None
    backup = Path(done.backup)
    assert plainfiles.pages(backup.read_bytes()) == plainfiles.pages(original)
    assert backup.name.startswith("checkpoint.sqlite.plain-")
    assert backup.name.endswith(".bak")
    assert sorted(path.parent.iterdir()) == [path, backup]
    if sys.platform != "win32":
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_the_backup_can_be_opened_and_taken_over_itself(path: Path) -> None:
    done = take_over(path)
    assert done.backup is not None
    assert plainfiles.store_rows(Path(done.backup)) == ROWS


def test_two_backups_of_one_second_have_two_names(path: Path) -> None:
    original = path.read_bytes()
    first = take_over(path).backup
    path.write_bytes(original)
    moment = first[len(f"{path}.plain-") : -len(".bak")] if first else ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "strftime", lambda *_: moment)
        second = take_over(path).backup
    assert second == f"{path}.plain-{moment}-2.bak"
    assert first is not None
    assert plainfiles.pages(Path(first).read_bytes()) == plainfiles.pages(original)


def test_a_store_is_left_alone(path: Path) -> None:
    take_over(path)
    before, files = path.read_bytes(), sorted(path.parent.iterdir())
    done = take_over(path)
    assert (done.versions, done.backup) == (0, None)
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == files


def test_the_counter_is_kept_above_the_largest_id(tmp_path: Path) -> None:
    path = make(tmp_path / "s.sqlite", then=["DELETE FROM workflow_version WHERE id = 9"])
    with casstore.open_store(path) as store:
        assert store.save("a", {}).version_id == 10
    assert plainfiles.counter(path) == 10


def test_the_counter_of_an_empty_table_is_kept(tmp_path: Path) -> None:
    path = make(tmp_path / "s.sqlite", then=["DELETE FROM workflow_version"])
    assert take_over(path).versions == 0
    assert plainfiles.counter(path) == 9


def test_a_table_without_counter_goes_on_after_its_largest_id(tmp_path: Path) -> None:
    path = make(tmp_path / "s.sqlite", table=COPILOT)
    with casstore.open_store(path) as store:
        assert store.save("a", {}).version_id == 10


def test_null_halves_and_datetime_text_of_copilot(tmp_path: Path) -> None:
    rows = [
        (1, "s", '{"1": {}}', None, None, "2025-07-01 12:34:56.789012"),
        (2, "s", None, '{"nodes": []}', "null", "2025-07-01 12:34:57.000000"),
        (3, "s", None, None, None, None),
        (4, "", '{"1": {}}', '{"nodes": []}', '{"a": "\\u00e9"}', ""),
    ]
    path = make(tmp_path / "workflow_debug.db", rows, table=COPILOT)
    take_over(path)
    assert plainfiles.store_rows(path) == rows


def test_columns_in_another_order_other_case_and_missing_ones(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(
            'CREATE TABLE workflow_version (workflow_data, "Session_ID", ID INTEGER PRIMARY KEY)'
        )
        connection.execute("INSERT INTO workflow_version VALUES ('{}', NULL, 7)")
    connection.close()
    take_over(path)
    assert plainfiles.store_rows(path) == [(7, None, "{}", None, None, None)]


def test_text_to_the_byte_with_nul_and_other_than_utf8(tmp_path: Path) -> None:
    cast = "UPDATE workflow_version SET workflow_data = CAST(x'{}' AS TEXT) WHERE id = {}"
    nul, broken = b'{"a\x00b"', b'{"\xff": "\xed\xa0\xbd"}'
    path = make(
        tmp_path / "s.sqlite",
        [(1, "s", "", None, "a\x00b", "t\x00"), (2, "s", "", None, None, "t")],
        then=[cast.format(nul.hex(), 1), cast.format(broken.hex(), 2)],
    )
    assert take_over(path).retyped == 0
    with casstore.open_store(path) as store:
        row, data, _ = store.restore_texts(version_id=1)
        assert (data and data[0], row.attributes, row.created_at) == (nul, "a\x00b", "t\x00")
        _, data, _ = store.restore_texts(version_id=2)
        assert data is not None
        assert data[0] == broken
        assert store.restore(version_id=2).workflow_data == broken


def test_numbers_and_blobs_become_text_of_the_same_content_and_are_counted(tmp_path: Path) -> None:
    rows = [
        (1, 17, b'{"a": 1}', 0.1 + 0.2, -5, 1751373296.789012),
        (2, 2**53 + 1, 1e300, float("inf"), float("-inf"), 1e16),
        (3, "text", "text", "text", "text", "text"),
    ]
    path = make(tmp_path / "s.sqlite", rows, table=NO_TYPES)
    assert take_over(path).retyped == 10
    assert plainfiles.store_rows(path) == [
        (1, "17", '{"a": 1}', "0.30000000000000004", "-5", "1751373296.789012"),
        (2, "9007199254740993", "1e+300", "Infinity", "-Infinity", "1e+16"),
        rows[2],
    ]


def test_indexes_triggers_empty_and_computed_columns_go_and_are_named(tmp_path: Path) -> None:
    path = make(
        tmp_path / "s.sqlite",
        then=[
            "CREATE INDEX versions_session ON workflow_version (session_id)",
            "CREATE TRIGGER noisy AFTER DELETE ON WORKFLOW_VERSION BEGIN SELECT 1; END",
            "ALTER TABLE workflow_version ADD COLUMN note TEXT",
            "ALTER TABLE workflow_version ADD COLUMN size AS (length(workflow_data))",
        ],
    )
    assert take_over(path).left_out == (
        "index versions_session",
        "trigger noisy",
        "column note",
        "column size",
    )
    assert plainfiles.store_rows(path) == ROWS


def test_other_tables_and_views_stay_as_they_are(tmp_path: Path) -> None:
    others = [
        "CREATE TABLE notes (text TEXT UNIQUE)",
        "CREATE INDEX notes_text ON notes (text)",
        "CREATE VIEW newest AS SELECT max(id) AS id FROM workflow_version",
    ]
    path = make(tmp_path / "s.sqlite", then=[*others, "INSERT INTO notes VALUES ('a'), ('b')"])
    take_over(path)
    connection = casstore.connect(path)
    kept = connection.execute(
        "SELECT sql FROM sqlite_master WHERE tbl_name IN ('notes', 'newest') AND sql IS NOT NULL"
    ).fetchall()
    assert [sql for (sql,) in kept] == others
    assert connection.execute("SELECT rowid, text FROM notes").fetchall() == [(1, "a"), (2, "b")]
    assert connection.execute("SELECT id FROM newest").fetchone() == (9,)
    connection.close()


def test_an_id_that_is_no_rowid_still_gives_the_order(tmp_path: Path) -> None:
    table = COPILOT.replace("id INTEGER NOT NULL", "id BIGINT NOT NULL")
    path = make(tmp_path / "s.sqlite", [ROWS[3], ROWS[0], ROWS[2]], table=table)
    take_over(path)
    assert plainfiles.store_rows(path) == [ROWS[0], ROWS[2], ROWS[3]]


def test_a_file_in_wal_mode_with_commits_still_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute(COPILOT)
    writer.executemany("INSERT INTO workflow_version VALUES (?, ?, ?, ?, ?, ?)", ROWS)
    writer.commit()
    done = take_over(path)
    assert done.versions == len(ROWS)
    assert plainfiles.store_rows(path) == ROWS
    assert done.backup is not None
    writer.close()
    assert [row[0] for row in plainfiles.raw_rows(Path(done.backup))] == [1, 2, 5, 9]


def test_a_file_in_utf16(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA encoding = 'UTF-16le'")
    connection.execute(COPILOT)
    row = (1, "s\u00e9", '{"a": "\U0001f600"}', None, '"\u4e2d"', "t")
    connection.execute("INSERT INTO workflow_version VALUES (?, ?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    take_over(path)
    assert plainfiles.store_rows(path) == [row]


def test_the_file_shrinks_to_what_the_store_needs(tmp_path: Path) -> None:
    text = '{"1": {"class_type": "A", "inputs": {"text": "%s", "seed": %d}}}'
    rows = [(i, "s", text % ("word " * 400, i), None, None, "t") for i in range(1, 501)]
    path = make(tmp_path / "s.sqlite", rows)
    done = take_over(path)
    assert done.bytes_before > 1_000_000
    assert done.bytes_after < 250_000
    assert done.bytes_after == path.stat().st_size
    assert not [name for name in os.listdir(tmp_path) if name.endswith(("-journal", "-wal"))]


def test_without_room_for_two_files_the_free_pages_stay(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(path.parent)._replace(free=2 * path.stat().st_size)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert take_over(path).bytes_after > path.stat().st_size // 2
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 0
    connection.close()
    assert plainfiles.store_rows(path) == ROWS


def test_a_file_with_tables_of_others_keeps_its_free_pages(tmp_path: Path) -> None:
    """Giving them back rewrites every table, and SQLite may number its rows anew."""
    rows = [(i, "s", f'"{i}{"x" * 20_000}"', None, None, "t") for i in range(1, 11)]
    path = make(tmp_path / "s.sqlite", rows, then=["CREATE TABLE notes (text TEXT)"])
    take_over(path)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 40
    connection.close()


@pytest.mark.parametrize("before", ["delete", "wal"])
@pytest.mark.parametrize("rule", [True, False])
def test_the_journal_mode_is_that_of_a_new_store(
    path: Path, monkeypatch: pytest.MonkeyPatch, before: str, rule: bool
) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {before}")
    connection.close()
    monkeypatch.setattr("casstore.backends.sqlite.upgrade.wants_wal", lambda _: rule)
    take_over(path)
    connection = sqlite3.connect(path)
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    connection.close()
    assert mode == ("wal" if rule else "delete")
    assert plainfiles.store_rows(path) == ROWS


def test_progress_counts_rows_and_ends_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(takeover, "_PAUSE", 0)
    seen: list[tuple[int, int]] = []
    casstore.open_store(path, progress=lambda done, total: seen.append((done, total))).close()
    assert seen == [(0, 4), (1, 4), (1, 4), (2, 4), (2, 4), (3, 4), (3, 4), (4, 4), (4, 4)]


def test_progress_is_told_at_most_four_times_a_second(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(range(1000))
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks) / 10)
    seen: list[int] = []
    take_over(path, progress=lambda done, total: seen.append(done))
    # 8 halves of rows, a tenth of a second each: told at 0.3 and, counting again from 0.4, at 0.7
    assert seen == [1, 3, 4]


def test_memory_holds_no_more_than_a_few_rows(tmp_path: Path) -> None:
    import tracemalloc

    big = '{"1": {"class_type": "A", "inputs": {"text": "%s", "seed": %d}}}'
    rows = ((i, "s", big % ("x" * 1_000_000, i), None, None, "t") for i in range(1, 61))
    path = make(tmp_path / "s.sqlite", rows)
    tracemalloc.start()
    try:
        take_over(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Two payload caches of 16 MiB each, and the row at work. All rows are 60 MB.
    assert peak < 45 * 2**20
