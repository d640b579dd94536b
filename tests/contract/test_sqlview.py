"""SQL written for the documented table runs unchanged on `casstore.connect`."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import casstore
from casstore.sqlview import StatementRefused

INSERT = """INSERT INTO workflow_version
(session_id, workflow_data, workflow_data_ui, attributes, created_at) VALUES (?, ?, ?, ?, ?)"""
COLUMNS = "id, session_id, workflow_data, workflow_data_ui, attributes, created_at"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    opened = casstore.connect(tmp_path / "store.sqlite")
    yield opened
    opened.close()


def rows(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    return connection.execute(f"SELECT {COLUMNS} FROM workflow_version ORDER BY id").fetchall()


def test_insert_gives_lastrowid_and_select_gives_the_text_to_the_byte(
    connection: sqlite3.Connection,
) -> None:
    text = '{"b": 1.50,\n "a": [1e5, 18446744073709552000, NaN, "\\ud83d", "\\u00e9"]}'
    cursor = connection.cursor()
    cursor.execute(INSERT, ("s", text, None, '{ "k": 1 }', "2025-07-01 12:34:56.789012"))
    assert cursor.lastrowid == 1
    assert cursor.rowcount == 1
    connection.commit()
    assert rows(connection) == [
        (1, "s", text, None, '{ "k": 1 }', "2025-07-01 12:34:56.789012"),
    ]


def test_the_statements_of_a_plain_port_run_unchanged(connection: sqlite3.Connection) -> None:
    ids = []
    for session, value in (("a", 1), ("b", 2), ("a", 3)):
        data = json.dumps({"value": value})
        ids.append(connection.execute(INSERT, (session, data, None, None, f"t{value}")).lastrowid)
    connection.commit()
    assert ids == [1, 2, 3]
    latest = connection.execute(
        f"SELECT {COLUMNS} FROM workflow_version WHERE session_id = ? ORDER BY id DESC LIMIT 1",
        ("a",),
    ).fetchone()
    assert latest == (3, "a", '{"value": 3}', None, None, "t3")
    by_id = connection.execute("SELECT * FROM workflow_version WHERE id = ?", (2,)).fetchone()
    assert by_id == (2, "b", '{"value": 2}', None, None, "t2")
    by_time = connection.execute(
        "SELECT id FROM workflow_version WHERE session_id = 'a' ORDER BY created_at DESC"
    ).fetchall()
    assert by_time == [(3,), (1,)]
    assert connection.execute("SELECT count(*) FROM workflow_version").fetchone() == (3,)


def test_updating_the_ui_half_changes_nothing_else(connection: sqlite3.Connection) -> None:
    connection.execute(INSERT, ("s", '{"a":  1}', None, '{"k":1}', "t"))
    cursor = connection.execute(
        "UPDATE workflow_version SET workflow_data_ui = ? WHERE id = ?", ('{"nodes": []}', 1)
    )
    assert cursor.rowcount == 1
    assert rows(connection) == [(1, "s", '{"a":  1}', '{"nodes": []}', '{"k":1}', "t")]
    missing = connection.execute("UPDATE workflow_version SET session_id = 'x' WHERE id = 9")
    assert missing.rowcount == 0


def test_delete_removes_and_ids_only_grow(connection: sqlite3.Connection) -> None:
    for value in (1, 2):
        connection.execute(INSERT, ("s", f'{{"v":{value}}}', None, None, None))
    cursor = connection.execute("DELETE FROM workflow_version WHERE id = 2")
    assert cursor.rowcount == 1
    again = connection.execute(INSERT, ("s", '{"v":3}', None, None, None))
    assert again.lastrowid == 3


def test_an_explicit_id_is_kept_and_a_taken_one_refused(connection: sqlite3.Connection) -> None:
    insert = "INSERT INTO workflow_version (id, session_id, workflow_data) VALUES (?, 's', '{}')"
    assert connection.execute(insert, (7,)).lastrowid == 7
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(insert, (7,))
    assert connection.execute(INSERT, ("s", "{}", None, None, None)).lastrowid == 8


def test_last_insert_rowid_speaks_of_the_version(connection: sqlite3.Connection) -> None:
    connection.execute(INSERT, ("s", "{}", None, None, None))
    connection.execute(INSERT, ("s", '{"new":1}', '{"nodes":[]}', None, None))
    assert connection.execute("SELECT last_insert_rowid()").fetchone() == (2,)
    connection.execute("CREATE TABLE other (x INTEGER PRIMARY KEY)")
    connection.execute("INSERT INTO other VALUES (41)")
    assert connection.execute("SELECT last_insert_rowid()").fetchone() == (41,)


def test_a_rollback_takes_the_versions_with_it(connection: sqlite3.Connection) -> None:
    connection.execute(INSERT, ("s", '{"kept": 1}', None, None, "t"))
    connection.commit()
    connection.execute(INSERT, ("s", '{"lost": 1}', None, None, "t"))
    connection.execute("UPDATE workflow_version SET workflow_data = '{}' WHERE id = 1")
    connection.rollback()
    assert [row[2] for row in rows(connection)] == ['{"kept": 1}']
    assert connection.execute("SELECT count(*) FROM blobs").fetchone() == (1,)


@pytest.mark.parametrize(
    ("session", "data", "code"),
    [
        ("s", '{"a"', "invalid_document"),
        ("s", "", "invalid_document"),
        ("s", "\n\n<!DOCTYPE html>", "invalid_document"),
        ("s", '{"nodes":[{"id":1,"widgets_val', "invalid_document"),
        ("s", '{"1": 1, "1": 2}', "duplicate_key"),
        ("s", b"{}", "invalid_document"),
        ("", "{}", "invalid_session"),
        (None, "{}", "invalid_session"),
    ],
)
def test_what_cannot_be_kept_is_refused_as_an_integrity_error(
    connection: sqlite3.Connection, session: object, data: object, code: str
) -> None:
    connection.execute(INSERT, ("s", '{"kept": 1}', None, None, "t"))
    with pytest.raises(sqlite3.IntegrityError) as caught:
        connection.execute(INSERT, (session, data, None, None, "t"))
    assert isinstance(caught.value, StatementRefused)
    assert caught.value.code == code
    assert [row[2] for row in rows(connection)] == ['{"kept": 1}']


def test_a_refused_row_takes_its_whole_statement_back(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(
            "INSERT INTO workflow_version (session_id, workflow_data) "
            "VALUES ('s', '{\"new\": 1}'), ('s', 'broken')"
        )
    connection.commit()
    assert rows(connection) == []
    assert connection.execute("SELECT count(*) FROM blobs").fetchone() == (0,)


@pytest.mark.parametrize("factory", [sqlite3.Row, lambda c, row: {"names": c.description}])
def test_row_and_text_factories_of_the_caller_are_the_callers(
    connection: sqlite3.Connection, factory: object
) -> None:
    connection.row_factory = factory  # type: ignore[assignment]
    connection.text_factory = bytes
    connection.execute(INSERT, ("s", '{"a": 1}', None, None, "t"))
    connection.execute(INSERT, ("s", '{"a": 2}', None, None, "t"))
    connection.row_factory = None
    assert rows(connection)[1][1:3] == (b"s", b'{"a": 2}')


def test_autocommit_connections_work(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    first = casstore.connect(path, isolation_level=None)
    assert first.execute(INSERT, ("s", "{}", None, None, "t")).lastrowid == 1
    assert not first.in_transaction
    second = casstore.connect(path)
    assert second.execute("SELECT count(*) FROM workflow_version").fetchone() == (1,)
    first.close()
    second.close()


def test_the_view_and_the_store_see_the_same_versions(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with casstore.open_store(path) as store:
        store.save("s", {"b": 1, "a": 2.0}, {"nodes": []}, {"k": [1]})
        connection = casstore.connect(path)
        assert rows(connection)[0][1:5] == ("s", '{"b":1,"a":2.0}', '{"nodes":[]}', '{"k":[1]}')
        connection.execute(INSERT, ("s", '{"a":2.0, "b":1}', None, None, "t"))
        connection.commit()
        connection.close()
        assert store.restore(version_id=2).workflow_data == {"a": 2.0, "b": 1}
        first, second = store.versions()
        assert first.content_hash == second.content_hash


def test_an_updated_document_no_longer_has_the_captured_bytes(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with casstore.open_store(path) as store:
        store.save_file("s", b'{"a": 1}\n', path="wf.json")
        connection = casstore.connect(path)
        connection.execute("UPDATE workflow_version SET session_id = 't' WHERE id = 1")
        connection.commit()
        assert store.restore_source(1) == b'{"a": 1}\n'
        connection.execute("UPDATE workflow_version SET workflow_data = '{}' WHERE id = 1")
        connection.commit()
        connection.close()
        assert store.restore_source(1) is None
        assert store.restore(1).workflow_data == {}


def test_a_taken_over_row_can_be_updated_beside_what_would_be_refused_today(tmp_path: Path) -> None:
    path = tmp_path / "plain.sqlite"
    plain = sqlite3.connect(path)
    plain.execute(
        "CREATE TABLE workflow_version (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, "
        "workflow_data TEXT, workflow_data_ui TEXT, attributes TEXT, created_at TEXT)"
    )
    plain.execute(INSERT, ("s", '{"a":1,"a":2}', None, "no json", "t"))
    plain.execute(INSERT, ("s", b"\xff\xfe", None, None, "t"))
    plain.commit()
    plain.close()
    connection = casstore.connect(path)
    connection.execute("UPDATE workflow_version SET workflow_data_ui = '{}' WHERE id = 1")
    assert rows(connection) == [
        (1, "s", '{"a":1,"a":2}', "{}", "no json", "t"),
        (2, "s", b"\xff\xfe", None, None, "t"),
    ]
    connection.close()


def test_a_statement_of_the_callers_that_fails_is_no_damage(connection: sqlite3.Connection) -> None:
    with pytest.raises(sqlite3.OperationalError, match="malformed JSON"):
        connection.execute("SELECT json_extract('{', '$.a')").fetchall()


def test_damage_is_an_error_and_never_other_text(connection: sqlite3.Connection) -> None:
    connection.execute(INSERT, ("s", '{"a": "' + "x" * 500 + '"}', None, None, "t"))
    connection.commit()
    connection.execute(
        "UPDATE blobs SET data = CAST(substr(data, 1, length(data) - 1) || x'00' AS BLOB)"
    )
    connection.commit()
    fresh = casstore.connect(connection.execute("PRAGMA database_list").fetchone()[2])
    with pytest.raises(StatementRefused) as caught:
        fresh.execute("SELECT workflow_data FROM workflow_version").fetchall()
    assert caught.value.code == "damaged"
    fresh.close()


def test_workflow_version_meta_is_readable_by_a_stock_client(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with casstore.open_store(path) as store:
        saved = store.save("s", {"a": 1}, {"nodes": []})
        store.save_file("s", b'{"a": 1}\n', path="projects/x/inputs/a.json")
    stock = sqlite3.connect(path)
    stock.row_factory = sqlite3.Row
    first, second = stock.execute("SELECT * FROM workflow_version_meta ORDER BY id").fetchall()
    stock.close()
    assert first["content_hash"] == saved.content_hash
    assert (first["session_id"], first["size"], first["ui_size"]) == ("s", 7, 12)
    assert first["source_digest"] is None
    assert (second["path"], second["source_size"]) == ("projects/x/inputs/a.json", 9)
    assert second["ui_content_hash"] is None


def test_a_connection_of_another_thread_is_refused_as_in_sqlite3(
    connection: sqlite3.Connection,
) -> None:
    caught: list[BaseException] = []

    def use() -> None:
        try:
            connection.execute("SELECT 1")
        except sqlite3.ProgrammingError as error:
            caught.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(caught) == 1


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=60)
@given(st.lists(st.tuples(JSON_VALUES, st.sampled_from([None, 0, 2])), min_size=1, max_size=6))
def test_any_json_text_comes_back_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory, values: list[tuple[object, int | None]]
) -> None:
    path = tmp_path_factory.mktemp("view") / "store.sqlite"
    connection = casstore.connect(path)
    expected = []
    for number, (value, indent) in enumerate(values, 1):
        text = json.dumps(value, indent=indent)
        connection.execute(INSERT, (f"s{number % 2}", text, text, None, "t"))
        expected.append((number, f"s{number % 2}", text, text, None, "t"))
    connection.commit()
    assert rows(connection) == expected
    connection.close()
