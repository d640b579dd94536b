"""Files named on the command line are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from casstore.cli import files
from casstore.errors import StorageFailed, UsageError

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and links as on POSIX")


@posix
def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        files.write(str(tmp_path / "new"), b"x", force=False)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


@posix
def test_a_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "old"
    target.write_bytes(b"old")
    target.chmod(0o604)
    files.write(str(target), b"new", force=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o604
    assert target.read_bytes() == b"new"


@posix
def test_a_link_stays_and_the_file_it_names_is_written(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with pytest.raises(files.FileExists):
        files.write(str(link), b"new", force=False)
    files.write(str(link), b"new", force=True)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@posix
def test_what_is_no_ordinary_file_is_refused_even_by_force(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is no ordinary file"):
        files.write(str(tmp_path / "pipe"), b"x", force=True)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_file_that_appears_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    make = files._write_durably

    def make_late(path: str, data: bytes, mode: int | None) -> None:
        make(path, data, mode)
        target.write_bytes(b"somebody else's")

    monkeypatch.setattr(files, "_write_durably", make_late)
    with pytest.raises(files.FileExists):
        files.write(str(target), b"x", force=False)
    assert target.read_bytes() == b"somebody else's"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_system_without_links_is_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    files.write(str(tmp_path / "out"), b"x", force=False)
    assert (tmp_path / "out").read_bytes() == b"x"
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_where_the_disk_refuses_the_file_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    target = tmp_path / "out"
    target.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, refuse)
    with pytest.raises(StorageFailed) as caught:
        files.write(str(target), b"new", force=True)
    assert caught.value.message == (
        f"{target} cannot be written: No space left on device; it is as it was"
    )
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_path_in_a_project_has_forward_slashes(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b.json"
    inner.parent.mkdir()
    inner.touch()
    assert files.path_in_project(str(inner), str(tmp_path)) == "a/b.json"
    assert files.path_in_project(str(inner), str(tmp_path / "other")) is None
    assert files.path_in_project("-", str(tmp_path)) is None
    assert files.path_in_project(str(tmp_path / "\udcff.json"), str(tmp_path)) is None


def test_a_name_that_no_file_can_have_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        files.read("a\0b", 10)
