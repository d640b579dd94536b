"""save.py and restore.py keep the documented contract, to the byte and to the exit code."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import casstore
from tests.contract.conftest import SCRIPTS, restore_script, run_script, save_script

WORKFLOW = {"3": {"class_type": "KSampler", "inputs": {"seed": 7, "cfg": 8.0, "text": "é 🙂"}}}


def test_a_save_answers_with_an_id_and_a_time_and_restore_gives_the_whole_row(
    store_file: Path,
) -> None:
    saved = save_script(
        {
            "session_id": "s",
            "workflow_data": WORKFLOW,
            "workflow_data_ui": {"nodes": []},
            "attributes": {"why": "test"},
        }
    )
    assert saved.exit_code == 0
    assert saved.stderr == b""
    assert saved.body["version_id"] == 1
    for arguments in (["--session-id", "s"], ["--version-id", "1"], ["--version-id=1"]):
        restored = restore_script(*arguments)
        assert restored.exit_code == 0
        assert list(restored.body) == [
            "version_id",
            "session_id",
            "workflow_data",
            "workflow_data_ui",
            "attributes",
            "created_at",
        ]
        assert restored.body == {
            "version_id": 1,
            "session_id": "s",
            "workflow_data": WORKFLOW,
            "workflow_data_ui": {"nodes": []},
            "attributes": {"why": "test"},
            "created_at": saved.body["created_at"],
        }


def test_restore_by_session_gives_the_latest_of_that_session(store_file: Path) -> None:
    for session, value in (("a", 1), ("a", 2), ("b", 3)):
        save_script({"session_id": session, "workflow_data": {"value": value}})
    assert restore_script("--session-id", "a").body["workflow_data"] == {"value": 2}
    assert restore_script("--session-id=a").body["version_id"] == 2


def test_missing_halves_and_null_halves_come_back_as_null(store_file: Path) -> None:
    save_script({"session_id": "s", "workflow_data": {}})
    save_script(
        {"session_id": "s", "workflow_data": {}, "workflow_data_ui": None, "attributes": None}
    )
    for version in ("1", "2"):
        row = restore_script("--version-id", version).body
        assert row["workflow_data"] == {}
        assert row["workflow_data_ui"] is None
        assert row["attributes"] is None


def test_an_equal_save_is_a_reference(store_file: Path) -> None:
    first = save_script({"session_id": "s", "workflow_data": WORKFLOW}).body
    second = save_script({"session_id": "other", "workflow_data": WORKFLOW}).body
    assert (first["deduplicated"], second["deduplicated"]) == (False, True)


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "invalid_document", "stdin is empty"),
        (b" \n", "invalid_document", "white space"),
        (b"<!DOCTYPE html><html></html>", "invalid_document", "HTML page"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "invalid_document", "PNG"),
        ('{"session_id":"s"}'.encode("utf-16"), "invalid_document", "UTF-16"),
        ('{"session_id":"s"}'.encode("utf-16-be"), "invalid_document", "UTF-16"),
        (b'{"session_id": "s\xff"}', "invalid_document", "not UTF-8 text: byte 17"),
        (b'{"session_id": "s", "workflow_data": {', "invalid_document", "line 1, column 39"),
        (b"[]", "invalid_document", "a list"),
        (b"null", "invalid_document", "null"),
        (b'{"session": "s", "workflow_data": {}}', "usage", "'session'"),
        (b'{"workflow_data": {}}', "invalid_session", "session_id is missing"),
        (b'{"session_id": "", "workflow_data": {}}', "invalid_session", "empty"),
        (b'{"session_id": null, "workflow_data": {}}', "invalid_session", "null"),
        (b'{"session_id": 7, "workflow_data": {}}', "invalid_session", "a number"),
        (b'{"session_id": "a\\u0000b", "workflow_data": {}}', "invalid_session", "NUL"),
        (b'{"session_id": "a\\ud800", "workflow_data": {}}', "invalid_session", "surrogate"),
        (b'{"session_id": "s"}', "invalid_document", "workflow_data is missing"),
        (b'{"session_id": "s", "workflow_data": null}', "invalid_document", "it is null"),
        (b'{"session_id": "s", "workflow_data": [1]}', "invalid_document", "it is a list"),
        (b'{"session_id": "s", "workflow_data": true}', "invalid_document", "it is a boolean"),
        (
            b'{"session_id": "s", "workflow_data": "{}"}',
            "invalid_document",
            "a string holding JSON",
        ),
        (
            b'{"session_id": "s", "workflow_data": "<html></html>"}',
            "invalid_document",
            "an HTML page",
        ),
        (
            b'{"session_id": "s", "workflow_data": {}, "workflow_data_ui": []}',
            "invalid_document",
            "workflow_data_ui must be a JSON object",
        ),
        (
            b'{"session_id": "s", "workflow_data": {}, "attributes": "x"}',
            "invalid_document",
            "attributes must be a JSON object",
        ),
        (
            b'{"session_id": "s", "workflow_data": {"1": 1, "1": 2}}',
            "duplicate_key",
            "the key '1' stands twice",
        ),
    ],
)
def test_bad_input_is_named_and_stores_nothing(
    store_file: Path, data: bytes, code: str, words: str
) -> None:
    save_script({"session_id": "s", "workflow_data": WORKFLOW})
    answer = run_script("save.py", data=data)
    assert answer.exit_code == 2
    assert answer.error["code"] == code
    assert words in answer.error["message"]
    assert restore_script("--session-id", "s").body["version_id"] == 1
    with casstore.open_store(store_file) as store:
        assert store.info().versions == 1


def test_unknown_keys_are_refused_naming_the_allowed_ones(store_file: Path) -> None:
    answer = save_script({"session_id": "s", "workflow_data": {}, "workflow": {}})
    for key in ("session_id", "workflow_data", "workflow_data_ui", "attributes"):
        assert key in answer.error["message"]


@pytest.mark.parametrize("arguments", [["file.json"], ["--json"], ["-"], ["--help", "x"]])
def test_save_refuses_arguments_and_makes_no_store(store_file: Path, arguments: list[str]) -> None:
    answer = run_script("save.py", *arguments, data=b'{"session_id":"s","workflow_data":{}}')
    assert answer.exit_code == 2
    assert "takes no arguments" in answer.error["message"]
    assert not store_file.exists()


@pytest.mark.parametrize("name", ["save.py", "restore.py"])
def test_help_is_text_and_writes_nothing(store_file: Path, name: str) -> None:
    answer = run_script(name, "--help")
    assert answer.exit_code == 0
    assert answer.stdout.startswith(b"usage: " + name.encode())
    assert not store_file.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_save_refuses_a_terminal_on_stdin(store_file: Path) -> None:
    parent, child = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, str(SCRIPTS / "save.py")],
            stdin=child,
            capture_output=True,
            timeout=60,
        )
    finally:
        os.close(parent)
        os.close(child)
    assert done.returncode == 2
    assert "terminal" in json.loads(done.stdout)["error"]["message"]
    assert not store_file.exists()


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        ([], 2, "usage"),
        (["s"], 2, "usage"),
        (["--session-id"], 2, "usage"),
        (["--session-id", "s", "--version-id", "1"], 2, "usage"),
        (["--session-id", "s", "--session-id", "s"], 2, "usage"),
        (["--version-id", "x"], 2, "usage"),
        (["--version-id", "-1"], 2, "usage"),
        (["--version-id", "1.0"], 2, "usage"),
        (["--version-id", "1_0"], 2, "usage"),
        (["--version-id", "99999999999999999999999"], 2, "usage"),
        (["--version-id", "0"], 2, "invalid_version"),
        (["--version-id", "9999999999999999999"], 2, "invalid_version"),
        (["--version-id", "2"], 13, "version_not_found"),
        (["--session-id", "t"], 13, "session_not_found"),
        (["--session-id", ""], 2, "invalid_session"),
    ],
)
def test_restore_names_what_is_wrong(
    store_file: Path, arguments: list[str], exit_code: int, code: str
) -> None:
    save_script({"session_id": "s", "workflow_data": {}})
    answer = restore_script(*arguments)
    assert (answer.exit_code, answer.error["code"]) == (exit_code, code)


def test_restore_without_a_store_says_so_and_makes_none(store_file: Path) -> None:
    answer = restore_script("--session-id", "s")
    assert (answer.exit_code, answer.error["code"]) == (10, "no_store")
    assert not store_file.parent.exists()


def test_a_byte_order_mark_is_removed_and_noted(store_file: Path) -> None:
    data = b"\xef\xbb\xbf" + json.dumps({"session_id": "s", "workflow_data": WORKFLOW}).encode()
    answer = run_script("save.py", data=data)
    assert "byte order mark" in answer.body["notes"][0]
    assert restore_script("--session-id", "s").body["workflow_data"] == WORKFLOW


def test_output_is_utf8_under_the_c_locale(store_file: Path) -> None:
    environ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    save_script({"session_id": "s", "workflow_data": WORKFLOW}, **environ)
    answer = restore_script("--session-id", "s", **environ)
    assert "é 🙂".encode() in answer.stdout
    assert answer.body["workflow_data"] == WORKFLOW


def test_the_scripts_work_from_a_copied_skill_folder(store_file: Path, tmp_path: Path) -> None:
    skill = tmp_path / "comfyui-checkpoint"
    shutil.copytree(SCRIPTS, skill / "scripts")
    package = Path(casstore.__file__).parent
    answer = run_script(
        "save.py",
        data=b'{"session_id":"s","workflow_data":{}}',
        scripts=skill / "scripts",
        PYTHONPATH=str(package.parent),
    )
    assert answer.body["version_id"] == 1


@pytest.mark.parametrize("name", ["save.py", "restore.py"])
def test_a_missing_package_is_an_error_that_names_the_install_command(
    store_file: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "skill" / "scripts"
    shutil.copytree(SCRIPTS, folder)
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(folder / name)], input=b"", capture_output=True
    )
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1
    assert error["code"] == "missing_dependency"
    assert "pip install casstore" in error["message"]


def test_a_missing_zstandard_is_an_error_that_names_the_install_command(
    store_file: Path, tmp_path: Path
) -> None:
    with casstore.open_store(store_file) as store:  # packed, so that a restore must decode
        store.save("s", WORKFLOW)
    done = subprocess.run(
        [sys.executable, "-S", str(SCRIPTS / "restore.py"), "--session-id", "s"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "missing_dependency"
    assert "-m pip install" in error["message"]


def test_a_closed_stdout_is_no_traceback(store_file: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, str(SCRIPTS / "save.py")],
        input=b'{"session_id":"s","workflow_data":{}}',
        stdout=write,
        stderr=subprocess.PIPE,
    )
    os.close(write)
    assert done.stderr == b""
    assert restore_script("--session-id", "s").body["version_id"] == 1


def _modules(code: str, store_file: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        input=b'{"session_id":"s","workflow_data":{}}',
        check=True,
        cwd=SCRIPTS.parent,
    )
    return set(done.stderr.decode().split())


@pytest.mark.parametrize(
    "call", ["save_main([])", "restore_main(['--session-id', 's'])"], ids=["save", "restore"]
)
def test_a_script_never_imports_what_takes_long_to_start(store_file: Path, call: str) -> None:
    save_script({"session_id": "s", "workflow_data": {}})
    code = f"from casstore.checkpoint_scripts import *\n{call}"
    loaded = _modules(code, store_file)
    slow: set[Any] = {"json", "orjson", "zstandard", "click", "typing", "re", "hashlib", "enum"}
    assert loaded & (slow | {"dataclasses", "inspect", "subprocess", "pathlib"}) == set()
