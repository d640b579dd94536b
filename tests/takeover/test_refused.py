"""What a store cannot hold is refused by name, and the file stays as it was, to the byte."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import casstore
from casstore.backends.sqlite import upgrade
from casstore.backends.sqlite.plain import NotTakenOver
from casstore.errors import CasstoreError, FormatNotSupported, NoStore, StorageFailed
from casstore.takeover import take_over
from tests.takeover import plainfiles
from tests.takeover.plainfiles import COPILOT, NO_TYPES, ROWS, make


def refused(path: Path, kind: type[CasstoreError] = NotTakenOver) -> CasstoreError:
    """The error of opening a file, after which the file and its folder are as before."""
    before, files = path.read_bytes(), sorted(path.parent.iterdir())
    with pytest.raises(kind) as caught:
        casstore.open_store(path)
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == files
    return caught.value


def test_the_error_is_one_of_the_format() -> None:
    assert issubclass(NotTakenOver, FormatNotSupported)
    assert (NotTakenOver.code, NotTakenOver.exit_code) == ("not_taken_over", 12)


def test_a_column_with_data_that_a_store_does_not_keep(tmp_path: Path) -> None:
    path = make(
        tmp_path / "s.sqlite",
        then=[
            "ALTER TABLE workflow_version ADD COLUMN author TEXT",
            "ALTER TABLE workflow_version ADD COLUMN empty TEXT",
            'ALTER TABLE workflow_version ADD COLUMN "a ""b" INTEGER DEFAULT 0',
            "UPDATE workflow_version SET author = 'me' WHERE id = 9",
        ],
    )
    error = refused(path)
    assert error.details["columns"] == ["author", 'a "b']
    assert "casstore migrate SRC DEST" in error.message


@pytest.mark.parametrize(
    ("statements", "names"),
    [
        (["CREATE TABLE Blobs (x)"], ["blobs"]),
        (["CREATE VIEW lines AS SELECT 1"], ["lines"]),
        (["CREATE TABLE o (x)", "CREATE INDEX versions_path ON o (x)"], ["versions_path"]),
        (["CREATE TABLE workflow_version_meta (x)"], ["workflow_version_meta"]),
        (
            ["CREATE TABLE o (x)", "CREATE TRIGGER t AFTER INSERT ON o BEGIN SELECT 1; END"],
            ["t"],
        ),
        (["CREATE TABLE o (v REFERENCES Workflow_Version (id))"], ["o"]),
    ],
)
def test_what_cannot_live_in_a_store_file(
    tmp_path: Path, statements: list[str], names: list[str]
) -> None:
    error = refused(make(tmp_path / "s.sqlite", then=statements))
    assert error.details["names"] == names


@pytest.mark.parametrize(
    ("rows", "row", "column"),
    [
        ([(0, "s", "{}", None, None, "t")], "0", None),
        ([(-3, "s", "{}", None, None, "t")], "-3", None),
        ([(1, "a\x00b", "{}", None, None, "t")], 1, None),
        ([(1, "s", "{}", None, None, "t"), (2, b"\xff", "{}", None, None, "t")], 2, "session_id"),
        ([(7, "s", "{}", None, b"{\xff", "t")], 7, "attributes"),
        ([(7, "s", "{}", None, None, b"\xed\xa0\xbd")], 7, "created_at"),
    ],
)
def test_a_row_that_cannot_be_kept_is_named(
    tmp_path: Path, rows: list[plainfiles.Row], row: object, column: str | None
) -> None:
    error = refused(make(tmp_path / "s.sqlite", rows, table=NO_TYPES))
    assert error.details["row"] == row
    assert error.details.get("column") == column
    assert str(row) in error.message


@pytest.mark.parametrize("row_id", [None, "x", 1.5, 4])
def test_an_id_that_is_no_integer_of_its_own(tmp_path: Path, row_id: object) -> None:
    rows = [(4, "s", "{}", None, None, "t"), (row_id, "s", "{}", None, None, "t")]
    table = NO_TYPES.replace("id INTEGER PRIMARY KEY AUTOINCREMENT", "id")
    error = refused(make(tmp_path / "s.sqlite", rows, table=table))
    assert ("twice" in error.message) == (row_id == 4)


def test_another_programs_table_of_the_same_name(tmp_path: Path) -> None:
    path = tmp_path / "webui.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE workflow_version (id TEXT PRIMARY KEY, workflow_id TEXT)")
    connection.close()
    assert "no column session_id and no workflow_data" in refused(path).message


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match=r"no file .*none\.sqlite to take over"):
        take_over(tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    path.touch()
    with pytest.raises(NotTakenOver):
        take_over(path)
    assert path.read_bytes() == b""


def test_a_progress_that_raises_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("casstore.takeover._PAUSE", 0)
    path = make(tmp_path / "s.sqlite")
    before = path.read_bytes()

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take_over(path, progress=stop)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("pages", [12, 18, 25])
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    text = '{"1": {"inputs": {"text": "%s"}}}'
    rows = [(i, "s", text % os.urandom(600).hex(), None, None, "t") for i in range(1, 21)]
    path = make(tmp_path / "s.sqlite", rows)

    def small(connection: sqlite3.Connection) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    monkeypatch.setattr(upgrade, "_SETTINGS", (*upgrade._SETTINGS, small))
    error = refused(path, StorageFailed)
    assert "full" in error.message
    monkeypatch.undo()
    take_over(path)
    assert plainfiles.store_rows(path) == rows


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits a child's file size")
def test_a_backup_that_does_not_fit(tmp_path: Path) -> None:
    import resource

    path = make(tmp_path / "s.sqlite", [(1, "s", "x" * 100_000, None, None, "t")])
    before = path.read_bytes()

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        take_over(path)

    assert in_child(limited) == StorageFailed.exit_code
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def readable_folder() -> Iterator[Path]:
    """A folder that other users can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a user without rights")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_read_only_file_or_folder(readable_folder: Path, what: str) -> None:
    path = make(readable_folder / "s.sqlite")
    take_over(make(readable_folder / "other.sqlite"))  # everything is imported
    files = sorted(readable_folder.iterdir())
    before = path.read_bytes()
    os.chmod(path, 0o444 if what == "file" else 0o666)
    os.chmod(readable_folder, 0o555 if what == "folder" else 0o777)

    def as_nobody() -> None:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        take_over(path)

    assert in_child(as_nobody) == StorageFailed.exit_code
    assert path.read_bytes() == before
    assert sorted(readable_folder.iterdir()) == files


def in_child(action: object) -> int:
    """Runs a function in a forked child; the exit code of the error it raised, else 0."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            action()  # type: ignore[operator]
            code = 0
        except CasstoreError as error:
            code = error.exit_code
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_the_mode_of_the_file_is_its_owners_business(tmp_path: Path) -> None:
    path = make(tmp_path / "s.sqlite", ROWS, table=COPILOT)
    if sys.platform != "win32":
        path.chmod(0o640)
    mode = stat.S_IMODE(path.stat().st_mode)
    take_over(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
