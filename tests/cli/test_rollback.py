"""``casstore rollback``: what it does to files, what it answers, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

import casstore
from tests.cli.conftest import Run

FILE = "projects/demo/inputs/wf.json"
GOOD, BROKEN = b'{\n  "3": {"class_type": "K", "inputs": {}}\n}\n', b'{"3": {'


@pytest.fixture
def broken(run: Run, project: Path) -> Path:
    """A file that was captured in a good state and broken since."""
    file = project / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(GOOD)
    with casstore.open_store(project / "host" / ".cache" / "checkpoint.sqlite") as store:
        store.save_file("s", GOOD, path=FILE, attributes={"source": "hook", "tool_use_id": "t1"})
    file.write_bytes(BROKEN)
    return file


def test_a_file_goes_back_and_the_answer_says_how_to_undo(run: Run, broken: Path) -> None:
    answer = run("rollback", FILE)
    assert answer.code == 0
    assert broken.read_bytes() == GOOD
    lines = answer.text.splitlines()
    assert lines[0].startswith(f"{FILE}: put back as in version 1 (")
    assert lines[1] == "  undo: casstore rollback --to 2"
    assert run("rollback", "--to", "2").code == 0
    assert broken.read_bytes() == BROKEN


def test_the_json_answer_has_the_documented_keys(run: Run, broken: Path) -> None:
    body = run("rollback", FILE, "--json").body
    assert body["dry_run"] is False
    (one,) = body["files"]
    assert one["path"] == FILE
    assert (one["action"], one["version_id"], one["kept_as"]) == ("write", 1, 2)
    assert one["undo"] == "casstore rollback --to 2"
    assert set(one) == {"path", "action", "version_id", "created_at", "kept_as", "undo"}


def test_a_dry_run_changes_nothing(run: Run, broken: Path) -> None:
    answer = run("rollback", FILE, "--dry-run", "--json").body
    assert (answer["dry_run"], answer["files"][0]["kept_as"]) == (True, None)
    assert broken.read_bytes() == BROKEN
    assert "would be put back" in run("rollback", FILE, "--dry-run").text


def test_the_path_may_be_absolute_or_from_another_folder(run: Run, broken: Path) -> None:
    assert run("rollback", str(broken), "--dry-run").code == 0


def test_an_action_and_a_session_name_their_files(run: Run, broken: Path) -> None:
    for arguments in (["--before", "t1"], ["--session", "s"], ["--session", "s", "--since", "1"]):
        body = run("rollback", *arguments, "--dry-run", "--json").body
        assert [one["path"] for one in body["files"]] == [FILE]


def test_a_file_that_is_so_already_is_left_alone(run: Run, broken: Path) -> None:
    broken.write_bytes(GOOD)
    answer = run("rollback", FILE)
    assert answer.code == 0
    assert answer.text.endswith("nothing to do\n")


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        ([], 2, "usage"),
        ([FILE, "--session", "s"], 2, "usage"),
        (["--to", "1", "--before", "t1"], 2, "usage"),
        ([FILE, "--since", "1"], 2, "usage"),
        (["--to", "0"], 13, "revision_not_found"),
        (["--to", "99"], 13, "version_not_found"),
        (["--before", "t9"], 13, "nothing_captured"),
        (["--session", "nobody"], 13, "nothing_captured"),
        (["projects/demo/inputs/other.json"], 13, "nothing_captured"),
        (["../outside.json"], 2, "usage"),
        (["/etc/hostname"], 2, "usage"),
    ],
)
def test_wrong_use_is_named_and_changes_nothing(
    run: Run, broken: Path, arguments: list[str], exit_code: int, code: str
) -> None:
    answer = run("rollback", *arguments, "--json")
    assert (answer.code, answer.error["code"]) == (exit_code, code)
    assert broken.read_bytes() == BROKEN


def test_without_a_store_it_says_so(run: Run, project: Path) -> None:
    answer = run("rollback", FILE, "--json")
    assert (answer.code, answer.error["code"]) == (10, "no_store")
