"""Reading stays in the project, waits for nothing, and ends at its limits."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from casstore.hook import reading
from casstore.hook.reading import Refused, Root

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "root"
    (made / "in").mkdir(parents=True)
    (made / "in" / "a.json").write_bytes(b"{}")
    return made


@pytest.fixture
def root(folder: Path) -> Iterator[Root]:
    made = Root(str(folder))
    yield made
    made.close()


def refusal(root: Root, path: str, limit: int = 100) -> str:
    with pytest.raises(Refused) as caught:
        root.read(path, limit)
    return caught.value.reason


def test_a_file_comes_back_as_it_is(root: Root, folder: Path) -> None:
    data = bytes(range(256)) * 10_000
    (folder / "in" / "big").write_bytes(data)
    content = root.read("in/big", len(data))
    assert (content.data, content.changing) == (data, False)
    assert refusal(root, "in/big", len(data) - 1) == "too_large"


def test_what_is_not_there_is_absent(root: Root) -> None:
    assert refusal(root, "in/b.json") == reading.ABSENT
    assert refusal(root, "no/folder/b.json") == reading.ABSENT


def test_a_file_in_place_of_a_folder_is_never_taken_for_absent(root: Root) -> None:
    assert refusal(root, "in/a.json/b.json") == "not_a_file"


def test_a_link_is_not_followed_even_if_it_appears_late(root: Root, folder: Path) -> None:
    outside = folder.parent / "secret"
    outside.mkdir()
    (outside / "a.json").write_text("secret")
    (folder / "in" / "l.json").symlink_to(outside / "a.json")
    assert refusal(root, "in/l.json") == "outside"
    relative = root.relative(f"{folder}/in/a.json")
    (folder / "in").rename(folder / "was")
    (folder / "in").symlink_to(outside)
    assert refusal(root, relative) == "not_a_file"


def test_a_pipe_a_socket_and_a_folder_are_no_files(root: Root, folder: Path) -> None:
    os.mkfifo(folder / "in" / "pipe")
    assert refusal(root, "in/pipe") == "not_a_file"
    assert refusal(root, "in") == "not_a_file"
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(folder / "in")
        listener.bind("socket")
    assert refusal(root, "in/socket") == "not_a_file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_unreadable(root: Root, folder: Path) -> None:
    (folder / "in" / "a.json").chmod(0)
    assert refusal(root, "in/a.json") == "unreadable"


@pytest.mark.parametrize("path", ["in/a\0b", "in/\ud800"])
def test_what_cannot_be_a_path_is_invalid(path: str, root: Root, folder: Path) -> None:
    with pytest.raises(Refused, match="invalid"):
        root.relative(f"{folder}/{path}")
    assert refusal(root, path) == "invalid"


def test_only_what_lies_in_the_root_has_a_relative_path(root: Root, folder: Path) -> None:
    (folder / "away").symlink_to(folder.parent)
    (folder / "home").symlink_to(folder / "in")
    assert root.relative(f"{folder}/home/a.json") == "in/a.json"
    assert root.relative(f"{folder}/away/root/in/new.json") == "in/new.json"
    for path in ("away/x", "../x", "home/../../x", ""):
        with pytest.raises(Refused, match="outside"):
            root.relative(f"{folder}/{path}")


def test_a_file_that_grows_while_it_is_read_ends_at_the_limit(
    root: Root, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "in" / "a.json"
    real: Any = reading.system.read

    def growing(handle: int, size: int) -> bytes:
        with open(file, "ab") as more:
            more.write(b"x" * 50)
        data: bytes = real(handle, size)
        return data

    monkeypatch.setattr(reading.system, "read", growing)
    assert refusal(root, "in/a.json", 1000) == "too_large"
    assert file.stat().st_size < 3000


def test_a_file_that_changes_while_it_is_read_is_marked(
    root: Root, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "in" / "a.json"
    real: Any = reading.system.read

    def changing(handle: int, size: int) -> bytes:
        data: bytes = real(handle, size)
        os.utime(file, ns=(1, 1))
        return data

    monkeypatch.setattr(reading.system, "read", changing)
    content = root.read("in/a.json", 100)
    assert (content.data, content.changing) == (b"{}", True)


def test_a_listing_gives_files_and_links_in_order(root: Root, folder: Path) -> None:
    (folder / "in" / "sub").mkdir()
    (folder / "in" / "sub" / "b").write_text("12345")
    (folder / "in" / "c").symlink_to("a.json")
    (folder / "in" / "d").symlink_to(folder.parent)
    os.mkfifo(folder / "in" / "e")
    found = [(path, size) for path, size, _ in root.files("in")]
    assert found == [("in/a.json", 2), ("in/c", -1), ("in/d", -1), ("in/sub/b", 5)]
    assert list(root.files("nowhere")) == []


def test_a_listing_ends_at_its_limits(
    root: Root, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = folder / "deep"
    for _ in range(reading.MAX_DEPTH + 3):
        deep.mkdir()
        (deep / "f").write_text("")
        deep = deep / "d"
    assert len(list(root.files("deep"))) == reading.MAX_DEPTH + 1
    assert not root.cut_short
    monkeypatch.setattr(reading, "MAX_ENTRIES", 10)
    assert len(list(root.files("deep"))) == 5
    assert root.cut_short
