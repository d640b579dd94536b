"""``casstore sql`` reads the documented table; SQLite itself keeps it from more than was asked."""

from __future__ import annotations

import io
import json
import signal
import sqlite3
from pathlib import Path

import pytest

import casstore
from casstore.backends.sqlite.backend import SqliteBackend
from casstore.cli import rows, statements
from casstore.sqlview import Cursor
from casstore.store import Store
from tests.cli.conftest import API, UI, Run

STORE = Path("host", ".cache", "checkpoint.sqlite")

CHANGES = [
    "DELETE FROM workflow_version",
    "UPDATE workflow_version SET session_id = 'x'",
    "INSERT INTO workflow_version (session_id, workflow_data) VALUES ('x', '{}')",
]

FORBIDDEN = [
    "DELETE FROM versions",
    "UPDATE blobs SET data = x''",
    "INSERT INTO sessions (name) VALUES ('x')",
    "UPDATE sqlite_sequence SET seq = 0",
    "UPDATE sqlite_master SET sql = ''",
    "CREATE TABLE t (a)",
    "CREATE TEMP TABLE t (a)",
    "CREATE VIEW v AS SELECT 1",
    "CREATE TRIGGER t AFTER INSERT ON versions BEGIN DELETE FROM blobs; END",
    "CREATE TEMP TRIGGER t AFTER INSERT ON versions BEGIN DELETE FROM blobs; END",
    "CREATE INDEX i ON versions (path)",
    "CREATE VIRTUAL TABLE v USING fts5 (a)",
    "DROP VIEW workflow_version",
    "DROP TABLE lines",
    "ALTER TABLE versions RENAME TO v",
    "ALTER TABLE versions ADD COLUMN a",
    "ATTACH 'other.sqlite' AS other",
    "DETACH main",
    "REINDEX",
    "ANALYZE",
    "PRAGMA query_only = OFF",
    "PRAGMA query_only(0)",
    "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = OFF",
    "PRAGMA user_version = 99",
    "PRAGMA foreign_keys = OFF",
    "PRAGMA wal_checkpoint",
    "PRAGMA optimize",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "SELECT casstore_delete(1)",
    "SELECT casstore_update(1, 1, 'x', '{}', NULL, NULL, NULL)",
    "SELECT casstore_insert(NULL, 'x', '{}', NULL, NULL, NULL)",
    "SELECT load_extension('x')",
    "WITH a AS (SELECT 1) DELETE FROM versions WHERE id IN a",
    "EXPLAIN DELETE FROM versions",
    "EXPLAIN PRAGMA user_version = 99",
    "/* -- */ DELETE FROM versions -- ; SELECT 1",
]


def everything(project: Path) -> list[str]:
    """All that is in the store, as SQL."""
    connection = sqlite3.connect(project / STORE)
    try:
        settings = ("application_id", "user_version", "journal_mode")
        found = [str(connection.execute(f"PRAGMA {name}").fetchone()) for name in settings]
        return [*found, *connection.iterdump()]
    finally:
        connection.close()


def test_json_gives_the_rows_of_each_statement(saved: Run) -> None:
    body = saved(
        "sql",
        "--json",
        "SELECT id, session_id, workflow_data_ui FROM workflow_version WHERE id < 3; "
        "SELECT 1.5 AS a, NULL AS b, x'00ff' AS c, 'é' AS c",
    ).body
    assert body == {
        "results": [
            {
                "columns": ["id", "session_id", "workflow_data_ui"],
                "rows": [[1, "s", None], [2, "s", UI.decode()]],
                "changes": 0,
                "inserted": None,
            },
            {
                "columns": ["a", "b", "c", "c"],
                "rows": [[1.5, None, {"hex": "00ff"}, "é"]],
                "changes": 0,
                "inserted": None,
            },
        ]
    }


def test_elsewhere_than_on_a_terminal_a_row_is_a_line(saved: Run) -> None:
    answer = saved("sql", "SELECT id, workflow_data, NULL AS n FROM workflow_version LIMIT 1")
    escaped = API.decode().replace("\n", "\\n")
    assert answer.text == f"id\tworkflow_data\tn\n1\t{escaped}\tNULL\n"


def test_a_script_comes_from_stdin(saved: Run) -> None:
    script = b"-- two\nSELECT 'a;b' AS x;\n/* ; */ SELECT 2 AS y; -- end"
    expected = "x\na;b\n\ny\n2\n"
    assert saved("sql", stdin=script).text == expected
    assert saved("sql", "-", stdin=b"\xef\xbb\xbf" + script).text == expected


def test_numbers_that_are_rare_in_json_stay_numbers(saved: Run) -> None:
    answer = saved("sql", "--json", "SELECT 9e999, -9e999, 9223372036854775807, 1e16")
    infinity = float("inf")
    assert answer.body["results"][0]["rows"] == [[infinity, -infinity, 2**63 - 1, 1e16]]
    assert b"Infinity" not in answer.out


def test_text_that_is_not_utf8_is_shown_and_not_lost(saved: Run) -> None:
    sql = "SELECT CAST(x'61ff62' AS TEXT) AS t"
    assert saved("sql", "--json", sql).body["results"][0]["rows"] == [["a\udcffb"]]
    assert saved("sql", sql).text == "t\na\\udcffb\n"


@pytest.mark.parametrize("sql", [*CHANGES, *FORBIDDEN])
def test_reading_changes_nothing(saved: Run, project: Path, sql: str) -> None:
    before = everything(project)
    answer = saved("sql", "--json", sql)
    assert answer.code == 2
    assert answer.error["code"] in ("forbidden_sql", "invalid_sql")
    assert everything(project) == before
    assert not (project / "other.sqlite").exists()


@pytest.mark.parametrize("sql", FORBIDDEN)
def test_writing_changes_nothing_but_the_documented_table(
    saved: Run, project: Path, sql: str
) -> None:
    before = everything(project)
    answer = saved("sql", "--json", "--write", sql)
    assert answer.code == 2
    assert answer.error["code"] in ("forbidden_sql", "invalid_sql")
    assert everything(project) == before


@pytest.mark.parametrize("sql", CHANGES)
def test_a_change_says_that_it_needs_write(saved: Run, sql: str) -> None:
    error = saved("sql", "--json", sql).error
    assert error["code"] == "forbidden_sql"
    assert error["message"].endswith(" workflow_version; add --write to change versions")


@pytest.mark.parametrize("sql", ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s"])
def test_the_transaction_is_not_the_callers(saved: Run, sql: str) -> None:
    assert saved("sql", "--json", "--write", sql).error["message"] == (
        "the statements run in one transaction already; leave BEGIN, COMMIT and such out"
    )


def test_without_the_authorizer_sqlite_refuses_as_well(
    saved: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements._Guard, "__call__", lambda *_: sqlite3.SQLITE_OK)
    before = everything(project)
    for sql in (*CHANGES, "DELETE FROM versions", "SELECT casstore_delete(1)"):
        assert saved("sql", sql).code == 14
    assert everything(project) == before


def test_write_inserts_updates_and_deletes_through_the_documented_table(saved: Run) -> None:
    body = saved(
        "sql",
        "--json",
        "--write",
        "INSERT INTO workflow_version (session_id, workflow_data) VALUES ('new', '{\"a\": 1.0}');"
        "UPDATE workflow_version SET session_id = 'renamed' WHERE session_id = 's';"
        "DELETE FROM workflow_version WHERE session_id = 'both';"
        "SELECT id, session_id FROM workflow_version ORDER BY id",
    ).body
    assert [(r["changes"], r["inserted"]) for r in body["results"]] == [
        (1, 4),
        (2, None),
        (1, None),
        (0, None),
    ]
    assert body["results"][3]["rows"] == [[1, "renamed"], [2, "renamed"], [4, "new"]]
    assert saved("restore", "--session", "new").out == b'{"a": 1.0}'


def test_write_does_all_or_nothing(saved: Run, project: Path) -> None:
    before = everything(project)
    for last in ("SELECT nonsense", "DELETE FROM versions", "INSERT INTO workflow_version "
                 "(session_id, workflow_data) VALUES ('x', '{')"):  # fmt: skip
        answer = saved("sql", "--json", "--write", f"{CHANGES[0]}; {last}")
        assert answer.code == 2
        assert list(answer.body) == ["error"]
        assert everything(project) == before


def test_what_cannot_be_kept_exactly_is_refused_with_its_own_code(saved: Run) -> None:
    sql = (
        "INSERT INTO workflow_version (session_id, workflow_data) VALUES ('x', '{\"a\":1,\"a\":2}')"
    )
    assert saved("sql", "--json", "--write", sql).error["code"] == "duplicate_key"


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT value FROM json_each('[1, 2]')", [[1], [2]]),
        ("SELECT page_size FROM pragma_page_size", [[4096]]),
        ("SELECT count(*) > 5 FROM pragma_table_info('versions')", [[1]]),
        ("PRAGMA user_version", [[1]]),
        ("PRAGMA integrity_check", [["ok"]]),
        ("WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 2) "
         "SELECT i FROM n", [[1], [2]]),
        ("SELECT count(*) FROM workflow_version_meta", [[3]]),
        ("SELECT sum(size) FROM blobs", [[160]]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("write", [[], ["--write"]])
def test_all_that_only_reads_is_allowed(
    saved: Run, sql: str, rows: list[list[object]], write: list[str]
) -> None:
    assert saved("sql", "--json", *write, sql).body["results"][0]["rows"] == rows


@pytest.mark.parametrize("write", [[], ["--write"]])
def test_plans_are_shown(saved: Run, write: list[str]) -> None:
    plan = "-- how\nexplain query plan SELECT id FROM versions WHERE session = 1"
    body = saved("sql", "--json", *write, "--", plan).body
    assert "versions_session" in body["results"][0]["rows"][0][3]
    assert saved("sql", *write, "EXPLAIN SELECT 1").code == 0


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELEC 1", 'SQLite does not accept the statement: near "SELEC": syntax error'),
        ("SELECT ?", "SQLite does not accept the statement: Incorrect number of bindings"),
        ("SELECT a FROM nowhere", "SQLite does not accept the statement: no such table: nowhere"),
        ("SELECT json('{')", "SQLite does not accept the statement: malformed JSON"),
        ("SELECT 1\0", "the SQL holds a NUL character; leave it out"),
        ("SELECT '\udcff'", "the SQL is not UTF-8 text; write it in UTF-8"),
        ("", "there is no SQL statement; give one, or a script on stdin"),
        (" ; -- only\n/* comments", "there is no SQL statement; give one, or a script on stdin"),
    ],
)
@pytest.mark.parametrize("write", [[], ["--write"]])
def test_wrong_sql_is_told_as_sqlite_sees_it(
    saved: Run, sql: str, message: str, write: list[str]
) -> None:
    answer = saved("sql", "--json", *write, sql)
    assert answer.code == 2
    assert answer.error["message"].startswith(message)


def test_a_script_that_is_not_utf8_is_told_by_its_byte(saved: Run) -> None:
    error = saved("sql", "--json", stdin=b"SELECT '\xff'").error
    assert error["message"] == "stdin is not UTF-8 text: byte 8 is 0xff"


def test_what_the_hook_left_is_taken_in_first(
    saved: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_settling(path: str, **_: object) -> Store:
        backend = SqliteBackend(path)
        return Store(backend, before_read=lambda store: store.save("settled", {}) and None)

    monkeypatch.setattr("casstore.opening.open_store", open_settling)
    sql = "SELECT max(id), session_id FROM workflow_version_meta"
    assert saved("sql", "--json", sql).body["results"][0]["rows"] == [[4, "settled"]]


def test_it_makes_no_store(run: Run, project: Path) -> None:
    assert run("sql", "SELECT 1").code == 10
    assert run("sql", "--write", "DELETE FROM workflow_version").code == 10
    assert not (project / "host").exists()


def test_a_locked_store_is_busy(saved: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "connect", _impatient)
    other = sqlite3.connect(project / STORE, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        answer = saved("sql", "--json", "--write", "DELETE FROM workflow_version")
    finally:
        other.close()
    assert answer.code == 11
    assert answer.error["code"] == "busy"


def _impatient(path: str, **settings: object) -> object:
    return casstore.connect(path, timeout=0.01, **settings)  # type: ignore[arg-type]


def test_damage_ends_with_its_error_alone(saved: Run, project: Path) -> None:
    connection = sqlite3.connect(project / STORE)
    connection.execute("UPDATE blobs SET data = x'00' WHERE id = 2")
    connection.commit()
    connection.close()
    answer = saved("sql", "--json", "SELECT id, workflow_data FROM workflow_version")
    assert answer.code == 20
    assert list(answer.body) == ["error"]
    assert answer.error["code"] == "damaged"
    answer = saved("sql", "SELECT id, workflow_data FROM workflow_version")
    assert (answer.code, answer.out) == (20, b"")


def test_many_rows_are_written_in_parts(saved: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casstore.cli.sql_cmd._IN_MEMORY", 100)
    numbers = (
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1001) "
        "SELECT i FROM n"
    )
    body = saved("sql", "--json", numbers).body
    assert body["results"][0]["rows"] == [[i + 1] for i in range(1001)]
    assert saved("sql", numbers).text == "".join(f"{i}\n" for i in ["i", *range(1, 1002)])


def test_statements_end_where_sqlite_says() -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END;"
    assert statements.split(f"SELECT ';';; {trigger} -- x;\nSELECT 2") == [
        "SELECT ';';",
        trigger,
        "-- x;\nSELECT 2",
    ]


def test_a_table_is_cut_to_the_terminal() -> None:
    out = io.BytesIO()
    sink = rows.TableRows(out, width=40, color=False)
    sink.begin(["id", "workflow_data", "n"])
    sink.rows([(1, "x" * 5000, None), (20, "漢字" * 30, 1.5)])
    sink.rows([(300, "\x1b[31m\n", None)])
    sink.end(0, None)
    sink.begin([])
    sink.end(2, None)
    sink.begin(["none"])
    sink.end(0, None)
    sink.close()
    assert out.getvalue().decode() == (
        "id  workflow_data                      n\n"
        "--  ------------------------------  ----\n"
        f" 1  {'x' * 29}…  NULL\n"
        f"20  {'漢字' * 7}…    1.5\n"
        "300  \\x1b[31m\\n                     NULL\n"
        "(3 rows)\n"
        "\n2 versions changed\n"
        "\nnone\n----\n(0 rows)\n"
    )


def test_a_number_is_never_cut() -> None:
    out = io.BytesIO()
    sink = rows.TableRows(out, width=20, color=False)
    sink.begin(["a", "b", "c"])
    sink.rows([("x" * 30, 12345678901, -1.25)])
    assert out.getvalue().decode().splitlines()[2] == f"{'x' * 3}…  12345678901  -1.25"
    out = io.BytesIO()
    sink = rows.TableRows(out, width=20, color=False)
    sink.begin(["a", "b"])
    sink.rows([("x" * 8, 12345678901)])
    assert out.getvalue().decode().splitlines()[2] == f"{'x' * 6}…  12345678901"


def test_ctrl_c_between_statements_ends_before_the_commit(
    saved: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(project)
    feed = statements._feed

    def feed_late(cursor: Cursor, sink: statements.Sink) -> None:
        feed(cursor, sink)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(statements, "_feed", feed_late)
    answer = saved("sql", "--json", "--write", CHANGES[0])
    assert answer.code == 130
    assert answer.body["error"]["code"] == "interrupted"
    assert everything(project) == before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_json_rows_are_one_object_whatever_is_in_them() -> None:
    out = io.BytesIO()
    sink = rows.JsonRows(out)
    sink.begin(["a"])
    sink.rows([("\ud83d",), ('"\n',)])
    sink.end(0, 0)
    sink.close()
    assert json.loads(out.getvalue())["results"][0]["rows"] == [["\ud83d"], ['"\n']]
