"""``casstore restore`` gives back the exact bytes, and never harms a file that is there."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import casstore
from tests.cli.conftest import API, UI, Run

STORE = Path("host", ".cache", "checkpoint.sqlite")


def test_a_version_comes_back_to_the_byte(saved: Run) -> None:
    assert saved("restore", "--version", 1).out == API
    assert saved("restore", "--session", "s").out == UI
    assert saved("restore", "--session", "both").out == API
    assert saved("restore", "--session", "both", "--ui").out == UI
    assert saved("restore", "--version", 2, "--ui").out == UI


def test_a_version_saved_as_values_comes_back_as_compact_json(saved: Run, project: Path) -> None:
    with casstore.open_store(project / STORE) as store:
        store.save("values", {"b": 1.0, "a": "é"}, {"nodes": []})
    assert saved("restore", "--session", "values").out == '{"b":1.0,"a":"é"}'.encode()
    assert saved("restore", "--session", "values", "--ui").out == b'{"nodes":[]}'


def test_the_file_of_a_capture_that_is_no_json_comes_back_as_well(
    saved: Run, project: Path
) -> None:
    with casstore.open_store(project / STORE) as store:
        store.save_file("captured", b'{"broken": \xff', path="wf.json")
        store.save_file("bom", b"\xef\xbb\xbf" + API, path="wf.json")
        store.save_file("bom ui", b"\xef\xbb\xbf" + UI, path="wf.json")
    assert saved("restore", "--session", "captured").out == b'{"broken": \xff'
    assert saved("restore", "--session", "bom").out == b"\xef\xbb\xbf" + API
    assert saved("restore", "--session", "bom ui", "--ui").out == b"\xef\xbb\xbf" + UI


def test_a_document_changed_by_sql_after_its_capture_comes_back_changed(saved: Run) -> None:
    sql = "UPDATE workflow_version SET workflow_data = '{\"new\": 1}' WHERE id = 1"
    assert saved("sql", "--write", sql).code == 0
    assert saved("restore", "--version", 1).out == b'{"new": 1}'


def test_json_is_the_documented_row(saved: Run) -> None:
    answer = saved("restore", "--version", 3, "--json")
    body = json.loads(answer.out)
    assert list(body) == [
        "version_id",
        "session_id",
        "workflow_data",
        "workflow_data_ui",
        "attributes",
        "created_at",
    ]
    assert body["version_id"] == 3
    assert body["session_id"] == "both"
    assert body["workflow_data"] == json.loads(API)
    assert body["workflow_data_ui"] == json.loads(UI)
    assert body["attributes"] == {"why": "both"}
    assert API in answer.out


def test_json_of_a_row_taken_over_as_it_was_is_still_one_object(run: Run, project: Path) -> None:
    store = project / STORE
    store.parent.mkdir(parents=True)
    connection = sqlite3.connect(store)
    connection.execute(
        "CREATE TABLE workflow_version (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT,"
        " workflow_data TEXT, workflow_data_ui TEXT, attributes TEXT, created_at TEXT)"
    )
    connection.execute(
        "INSERT INTO workflow_version (session_id, workflow_data, attributes)"
        " VALUES ('s', 'no json', 'nor this'), ('s', NULL, NULL)"
    )
    connection.commit()
    connection.close()
    body = run("restore", "--version", 1, "--json").body
    assert body["workflow_data"] == "no json"
    assert body["workflow_data_ui"] is None
    assert body["attributes"] == "nor this"
    assert body["created_at"] is None
    assert run("restore", "--version", 1).out == b"no json"
    assert run("restore", "--version", 2, "--json").body["workflow_data"] is None


def test_to_writes_the_file_and_says_so(saved: Run, project: Path) -> None:
    answer = saved("restore", "--version", 1, "--to", "out.json")
    assert answer.text == "wrote version 1 to out.json (89 B)\n"
    assert (project / "out.json").read_bytes() == API
    answer = saved("restore", "--version", 2, "--to", "out.json", "--force", "--json")
    assert (project / "out.json").read_bytes() == UI
    body = answer.body
    assert list(body) == ["version_id", "session_id", "created_at", "to", "size"]
    assert body["to"] == "out.json"
    assert body["size"] == len(UI)
    assert sorted(path.name for path in project.iterdir()) == [
        ".git",
        "host",
        "out.json",
        "projects",
    ]


def test_an_existing_file_is_kept_without_force(saved: Run, project: Path) -> None:
    (project / "out.json").write_bytes(b"mine")
    answer = saved("restore", "--version", 1, "--to", "out.json", "--json")
    assert answer.code == 2
    assert answer.error["code"] == "file_exists"
    assert answer.error["message"] == "out.json exists already; add --force to replace it"
    assert (project / "out.json").read_bytes() == b"mine"


def test_a_hyphen_is_stdout(saved: Run) -> None:
    assert saved("restore", "--version", 1, "--to", "-").out == API


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code", "message"),
    [
        ((), 2, "usage", "name exactly one of REV, --session SID and --version N"),
        (("--session", "s", "--version", "1"), 2, "usage", "name exactly one of"),
        (("--version", "1_0"), 2, "usage", "--version takes a positive integer such as 42, not"),
        (("--version", "9" * 5000), 2, "usage", "--version takes a positive integer such as"),
        (("--version", "0"), 2, "invalid_version", "a version id is a positive integer, not 0"),
        (("--version", "99"), 13, "version_not_found", "there is no version 99 in"),
        (("--session", "x"), 13, "session_not_found", "the session 'x' has no version in"),
        (("--version", "1", "--ui", "--to", "x"), 13, "nothing_there", "version 1 has no work"),
        (("--version", "1", "--force"), 2, "usage", "--force goes with --to FILE"),
        (("--version", "1", "--ui"), 2, "usage", "--json gives both halves; leave --ui out"),
        (("--version", "1", "--to", "no/x"), 2, "usage", "there is no folder "),
        (("--version", "1", "--to", "host"), 2, "usage", "host is a folder; name a file in it"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    saved: Run, arguments: tuple[str, ...], exit_code: int, code: str, message: str
) -> None:
    answer = saved("restore", "--json", *arguments)
    assert answer.code == exit_code
    assert answer.error["code"] == code
    assert answer.error["message"].startswith(message)


def test_a_version_that_says_its_file_was_absent_has_no_bytes(saved: Run, project: Path) -> None:
    with casstore.open_store(project / STORE) as store:
        store.save_file("gone", None, path="wf.json")
    answer = saved("restore", "--session", "gone", "--to", "out.json", "--json")
    assert answer.code == 13
    assert answer.error["code"] == "nothing_there"
    assert answer.error["message"].startswith("version 4 says that wf.json did not exist")
    assert not (project / "out.json").exists()


def test_without_a_store_it_says_where_it_looked(run: Run, project: Path) -> None:
    answer = run("restore", "--version", 1, "--json")
    assert answer.code == 10
    assert answer.error["code"] == "no_store"
    assert answer.error["path"] == str(project / STORE)
    assert not (project / "host").exists()
