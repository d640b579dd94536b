"""``casstore migrate`` takes a plain table over, in place or into another store, and says how."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import casstore
from tests.cli.conftest import Run

TABLE = (
    "CREATE TABLE workflow_version (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT,"
    " workflow_data TEXT, workflow_data_ui TEXT, attributes TEXT, created_at DATETIME)"
)
ROWS = [
    (1, "a", '{"n": 1}', None, None, "2024-01-01 00:00:00.000001"),
    (4, "b", '{"n": 1, "n": 2}', '{"nodes": []}', '{"x": 1}', "2024-01-02 00:00:00"),
    (5, "b", "no json", None, None, None),
]


@pytest.fixture
def plain(project: Path) -> Path:
    """A plain file as a port on ``sqlite3`` leaves it."""
    path = project / "workflow_debug.db"
    connection = sqlite3.connect(path)
    connection.execute(TABLE)
    connection.executemany("INSERT INTO workflow_version VALUES (?, ?, ?, ?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    return path


def rows_of(path: Path) -> list[tuple[object, ...]]:
    connection = casstore.connect(path)
    try:
        return connection.execute("SELECT * FROM workflow_version ORDER BY id").fetchall()
    finally:
        connection.close()


def test_without_dest_the_file_becomes_a_store_beside_its_backup(run: Run, plain: Path) -> None:
    body = run("migrate", plain.name, "--json").body
    assert list(body) == [
        "source",
        "destination",
        "versions",
        "present",
        "renumbered",
        "retyped",
        "left_out",
        "backup",
    ]
    assert body["source"] == body["destination"] == str(plain)
    assert body["versions"] == 3
    backup = sqlite3.connect(body["backup"])
    assert backup.execute("SELECT * FROM workflow_version ORDER BY id").fetchall() == ROWS
    backup.close()
    assert rows_of(plain) == ROWS
    again = run("migrate", plain.name)
    assert again.text == f"{plain} is a store already; nothing to do\n"
    assert run("migrate", plain.name, "--json").body["backup"] is None


def test_for_people_it_names_the_backup(run: Run, plain: Path) -> None:
    lines = run("migrate", plain.name).text.splitlines()
    assert lines[0] == "took over 3 versions"
    assert lines[1] == f"store    {plain}"
    assert lines[2].startswith("on disk  ")
    assert lines[3].startswith(f"backup   {plain}")


def test_with_dest_the_rows_are_copied_and_the_source_stays(
    run: Run, plain: Path, project: Path
) -> None:
    original = plain.read_bytes()
    run("save", "-", "--session", "mine", "--store", "store.sqlite", stdin=b"{}")
    body = run("migrate", plain.name, "store.sqlite", "--json").body
    assert plain.read_bytes() == original
    assert body == {
        "source": str(plain),
        "destination": str(project / "store.sqlite"),
        "versions": 3,
        "present": 0,
        "renumbered": [[1, 2]],
        "retyped": 0,
        "left_out": [],
        "backup": None,
    }
    assert rows_of(project / "store.sqlite")[1:] == [(2, *ROWS[0][1:]), *ROWS[1:]]
    text = run("migrate", plain.name, "store.sqlite").text
    assert text == (
        f"copied 0 versions\n"
        f"from     {plain}\n"
        f"store    {project / 'store.sqlite'}\n"
        f"present  3 were there already\n"
    )


def test_store_is_another_way_to_name_dest(run: Run, plain: Path, project: Path) -> None:
    answer = run("--store", "new.sqlite", "migrate", plain.name)
    assert answer.text.splitlines()[0] == "copied 3 versions"
    assert rows_of(project / "new.sqlite") == ROWS
    answer = run("migrate", plain.name, "other.sqlite", "--store", "new.sqlite", "--json")
    assert answer.code == 2
    assert answer.error["message"] == "DEST and --store both name the store; give one of them"
    assert not (project / "other.sqlite").exists()


def test_new_ids_are_listed_up_to_three(run: Run, plain: Path) -> None:
    for _ in range(5):
        run("save", "-", "--session", "mine", "--store", "store.sqlite", stdin=b"{}")
    connection = sqlite3.connect(plain)
    connection.execute("INSERT INTO workflow_version (id, session_id) VALUES (2, 'c')")
    connection.commit()
    connection.close()
    text = run("migrate", plain.name, "store.sqlite").text
    assert "new ids  1 is 6; 2 is 7; 4 is 8 and 1 more\n" in text


def test_what_is_left_out_or_retyped_is_told(run: Run, project: Path) -> None:
    connection = sqlite3.connect(project / "plain.db")
    connection.execute(TABLE)
    connection.execute("CREATE INDEX by_session ON workflow_version (session_id)")
    connection.execute("INSERT INTO workflow_version (session_id, workflow_data) VALUES ('s', ?)",
                       (b'{"a": 1}',))  # fmt: skip
    connection.commit()
    connection.close()
    text = run("migrate", "plain.db").text
    assert "retyped   1 value became text of the same content\n" in text
    assert "left out  index by_session\n" in text


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [((), 2), (("no.db",), 10), (("no.db", "new.sqlite"), 10), (("", "x"), 2), (("x", ""), 2)],
)
def test_a_source_that_is_not_there_is_an_error(
    run: Run, project: Path, arguments: tuple[str, ...], exit_code: int
) -> None:
    answer = run("migrate", "--json", *arguments)
    assert answer.code == exit_code
    assert set(answer.error) >= {"code", "message"}
    assert not (project / "new.sqlite").exists()


def test_any_command_takes_a_plain_file_over_first(run: Run, plain: Path) -> None:
    assert run("info", "--store", plain.name, "--json").body["versions"] == 3
    assert run("restore", "--store", plain.name, "--version", 5).out == b"no json"
