"""``casstore save`` keeps a file's exact bytes, and refuses what is no workflow by name."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

import casstore
from casstore.cli import files
from casstore.errors import UsageError
from tests.cli.conftest import API, UI, Run

WF = Path("projects", "demo", "inputs", "wf.json")
UI_FILE = WF.with_name("ui.json")
STORE = Path("host", ".cache", "checkpoint.sqlite")


def test_it_saves_the_exact_bytes_and_the_document_under_the_session(
    run: Run, project: Path
) -> None:
    body = run("save", WF, "--session", "s", "--json").body
    assert list(body) == [
        "version_id",
        "session_id",
        "created_at",
        "content_hash",
        "deduplicated",
        "path",
        "size",
        "notes",
    ]
    with casstore.open_store(project / STORE, create=False) as store:
        assert store.restore_source(1) == API
        version = store.restore(session_id="s")
        info = next(store.versions())
    assert body == {
        "version_id": 1,
        "session_id": "s",
        "created_at": version.created_at,
        "content_hash": info.content_hash,
        "deduplicated": False,
        "path": "projects/demo/inputs/wf.json",
        "size": len(API),
        "notes": [],
    }
    assert len(body["content_hash"]) == 64
    assert list(version.workflow_data["3"]["inputs"].items()) == [
        ("seed", 7),
        ("cfg", 8.0),
        ("b", 1),
        ("a", 2),
    ]
    assert version.workflow_data_ui is None
    assert version.attributes == {"format": "api"}
    assert info.path == "projects/demo/inputs/wf.json"


def test_for_people_it_says_which_version_and_how_large(run: Run) -> None:
    assert run("save", WF, "--session", "s").text == "saved version 1 of session s (89 B)\n"
    again = run("save", WF, "--session", "s").text
    assert again == "saved version 2 of session s (89 B, nothing new to store)\n"


def test_a_ui_file_is_both_halves(run: Run, project: Path) -> None:
    run("save", UI_FILE, "--session", "s")
    with casstore.open_store(project / STORE) as store:
        version = store.restore(1)
    assert version.workflow_data == version.workflow_data_ui
    assert version.workflow_data["nodes"][0]["type"] == "Kämpfer"
    assert version.attributes == {"format": "ui"}


def test_two_files_are_the_two_halves_with_their_exact_texts(run: Run, project: Path) -> None:
    body = run("save", WF, "--ui", UI_FILE, "--session", "s", "--attributes", "{}", "--json").body
    with casstore.open_store(project / STORE) as store:
        row, data, ui = store.restore_texts(1)
        assert data is not None
        assert ui is not None
        assert (data[0], ui[0], row.attributes) == (API, UI, "{}")
        assert body["content_hash"] == next(store.versions()).content_hash
        assert body["created_at"] == row.created_at
    assert body["deduplicated"] is None
    assert body["path"] is None


def test_stdin_is_saved_without_a_path(run: Run, project: Path) -> None:
    assert run("save", "-", "--session", "s", "--json", stdin=API).body["path"] is None
    with casstore.open_store(project / STORE) as store:
        assert store.restore_source(1) == API


def test_a_file_outside_the_project_is_saved_without_a_path(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere.json"
    outside.write_bytes(API)
    assert run("save", outside, "--session", "s", "--json").body["path"] is None


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_is_recorded_as_what_it_names(run: Run, project: Path) -> None:
    os.symlink(project / WF, project / "link.json")
    answer = run("save", "link.json", "--session", "s", "--json")
    assert answer.body["path"] == "projects/demo/inputs/wf.json"


def test_attributes_are_kept_with_the_version(run: Run, project: Path) -> None:
    run("save", WF, "--session", "s", "--attributes", '{"why": "é", "n": 1.0}')
    with casstore.open_store(project / STORE) as store:
        assert store.restore(1).attributes == {"why": "é", "n": 1.0, "format": "api"}


def test_a_byte_order_mark_is_noted_and_kept(run: Run, project: Path) -> None:
    data = b"\xef\xbb\xbf" + API
    body = run("save", "-", "--session", "s", "--json", stdin=data).body
    assert body["notes"] == ["stdin starts with a byte order mark; its JSON is what follows"]
    text = run("save", "-", "--session", "s", stdin=data).text
    assert text.endswith("note: stdin starts with a byte order mark; its JSON is what follows\n")
    with casstore.open_store(project / STORE) as store:
        assert store.restore_source(1) == data
        assert store.restore(1).workflow_data["3"]["class_type"] == "KSampler"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "stdin is empty; a workflow is a JSON object"),
        (b"\x89PNG\r\n\x1a\n\x00", "stdin is a PNG image; a workflow is a JSON object"),
        (b"\xff\xfe{\x00}\x00", "stdin is UTF-16 text; save it as UTF-8; a workflow is"),
        (b"<!DOCTYPE html>", "stdin is an HTML page, not JSON; a workflow is a JSON object"),
        (b"[1]", "stdin must hold a JSON object; it holds a list"),
        (b"null", "stdin must hold a JSON object; it holds null"),
        (b'{"a": }', "stdin is not valid JSON: Expecting value at line 1, column 7"),
        (b'{"a": 1, "a": 2}', "stdin: the key 'a' stands twice in one object; keep one"),
        (b'\xef\xbb\xbf{"a": "\xff"}', "stdin is not UTF-8 text: byte 10 is 0xff"),
    ],
)
def test_what_is_no_workflow_is_refused_by_name_and_nothing_is_stored(
    run: Run, project: Path, data: bytes, message: str
) -> None:
    answer = run("save", "-", "--session", "s", stdin=data)
    assert answer.code == 2
    assert answer.out == b""
    assert answer.err.startswith(f"casstore: {message}")
    assert answer.err.count("\n") == 1
    assert not (project / STORE).exists()


def test_the_ui_half_is_checked_as_well(run: Run, project: Path) -> None:
    answer = run("save", WF, "--ui", "-", "--session", "s", stdin=b"[]")
    assert answer.err == "casstore: stdin must hold a JSON object; it holds a list\n"
    assert answer.code == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((WF,), "usage", "Missing option '--session'"),
        (("--session", "s"), "usage", "Missing argument 'FILE'"),
        (("no.json", "--session", "s"), "usage", "no.json cannot be read: No such file or dir"),
        ((".", "--session", "s"), "usage", ". cannot be read: "),
        (("", "--session", "s"), "usage", "Invalid value for 'FILE': the name of the file is"),
        (("-", "--ui", "-", "--session", "s"), "usage", "FILE and --ui cannot both be stdin"),
        ((WF, "--session", ""), "invalid_session", "session_id is empty"),
        ((WF, "--session", "s", "--attributes", "[]"), "invalid_document", "--attributes must"),
        ((WF, "--session", "s", "--attributes", "{"), "invalid_document", "--attributes is not"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    run: Run, arguments: tuple[object, ...], code: str, message: str
) -> None:
    answer = run("save", "--json", *arguments)
    assert answer.code == 2
    assert answer.error["code"] == code
    assert answer.error["message"].startswith(message)
    assert f"casstore: {answer.error['message']}" in answer.err


def test_a_terminal_on_stdin_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, project: Path
) -> None:
    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO(API)))
    with pytest.raises(UsageError, match="stdin is a terminal; name a file or pipe one in"):
        files.read("-", 100)


def test_a_file_above_the_limit_is_refused_before_it_is_read_whole(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casstore.documents.MAX_PAYLOAD", 20)
    answer = run("save", WF, "--session", "s", "--json")
    assert answer.code == 2
    assert answer.error["code"] == "document_too_large"
    assert answer.error["limit"] == 20
