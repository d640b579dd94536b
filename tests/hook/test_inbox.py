"""A capture is whole or is not there, comes back as it was, and any damage is noticed."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import inbox
from casstore.inbox import BrokenCapture

HEADER = {"format": 1, "session_id": "s", "files": [{"path": "a", "size": 2}]}


def parts(bodies: list[bytes | None], **more: Any) -> list[bytes]:
    sizes = [None if body is None else len(body) for body in bodies]
    files = [{"path": f"f{n}", "size": size} for n, size in enumerate(sizes)]
    return inbox.encoded(json.dumps({"format": 1, "files": files, **more}), bodies)


@given(st.lists(st.none() | st.binary(max_size=200), max_size=6), st.text(max_size=20))
def test_what_is_put_is_read(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes | None], text: str
) -> None:
    folder = tmp_path_factory.mktemp("inbox")
    inbox.put(str(folder), "x.capture", parts(bodies, text=text))
    capture = inbox.read(str(folder / "x.capture"))
    assert (capture.name, capture.bodies) == ("x.capture", bodies)
    assert capture.header["text"] == text


def test_the_size_of_a_capture_is_its_parts_and_no_more(tmp_path: Path) -> None:
    inbox.put(str(tmp_path), "x.capture", inbox.encoded(json.dumps(HEADER), [b"{}"]))
    data = (tmp_path / "x.capture").read_bytes()
    assert data[:8] == inbox.MAGIC
    assert data[32:] == json.dumps(HEADER).encode() + b"{}"


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    data = b"".join(parts([b"one", None, b"", b"three"]))
    file = tmp_path / "x.capture"
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 0x41
        file.write_bytes(changed)
        with pytest.raises(BrokenCapture):
            inbox.read(str(file))


def test_every_shorter_or_longer_file_is_noticed(tmp_path: Path) -> None:
    data = b"".join(parts([b"one", b"three"]))
    file = tmp_path / "x.capture"
    for cut in [*range(len(data)), len(data) + 1, len(data) + 1000]:
        file.write_bytes((data + b"\0" * 1000)[:cut])
        with pytest.raises(BrokenCapture):
            inbox.read(str(file))


@pytest.mark.parametrize(
    "header",
    [
        "nothing",
        "[]",
        "{}",
        '{"format": 2, "files": []}',
        '{"format": 1}',
        '{"format": 1, "files": {}}',
        '{"format": 1, "files": [1]}',
        '{"format": 1, "files": [{}]}',
        '{"format": 1, "files": [{"size": -1}]}',
        '{"format": 1, "files": [{"size": 3}]}',
        '{"format": 1, "files": [{"size": true}]}',
        '{"format": 1, "files": [{"size": 1e999}]}',
        '{"format": 1, "files": []}',
        "[" * 100_000,
    ],
)
def test_a_header_that_does_not_fit_is_noticed(header: str, tmp_path: Path) -> None:
    inbox.put(str(tmp_path), "x.capture", inbox.encoded(header, [b"{}"]))
    with pytest.raises(BrokenCapture):
        inbox.read(str(tmp_path / "x.capture"))


def test_a_file_larger_than_any_capture_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "MAX_BODY", 1000)
    with open(tmp_path / "x.capture", "wb") as file:
        file.truncate(inbox.MAX_HEADER + 1000 + 33)
    with pytest.raises(BrokenCapture, match="at most"):
        inbox.read(str(tmp_path / "x.capture"))


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
def test_a_link_or_pipe_in_the_inbox_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"".join(parts([])))
    (tmp_path / "l.capture").symlink_to(tmp_path / "real")
    os.mkfifo(tmp_path / "p.capture")
    with pytest.raises(OSError, match="symbolic"):
        inbox.read(str(tmp_path / "l.capture"))
    with pytest.raises(BrokenCapture, match="regular"):
        inbox.read(str(tmp_path / "p.capture"))


@pytest.mark.parametrize("step", ["write", "fsync", "close", "rename"])
def test_a_write_that_fails_leaves_nothing(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = getattr(inbox.system, step)

    def full(*arguments: Any) -> Any:
        if step == "close":
            real(*arguments)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inbox.system, step, full)
    with pytest.raises(OSError, match="No space"):
        inbox.put(str(tmp_path), "x.capture", parts([b"x"]))
    monkeypatch.undo()
    assert os.listdir(tmp_path) == []


def test_the_bytes_are_durable_before_the_name_and_then_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def noted(name: str) -> None:
        real = getattr(inbox.system, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if name != "fsync":
                steps.append(name)
            elif stat.S_ISDIR(os.fstat(arguments[0]).st_mode):
                steps.append("fsync of the folder")
            else:
                steps.append("fsync of the file")
            return real(*arguments, **named)

        monkeypatch.setattr(inbox.system, name, call)

    for name in ("write", "fsync", "rename"):
        noted(name)
    inbox.put(str(tmp_path), "x.capture", parts([b"x"]))
    expected = ["write", "write", "fsync of the file", "rename", "fsync of the folder"]
    assert steps == expected[: 4 if sys.platform == "win32" else 5]


def test_a_write_in_small_pieces_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = inbox.system.write
    monkeypatch.setattr(inbox.system, "write", lambda handle, data: real(handle, data[:7]))
    inbox.put(str(tmp_path), "x.capture", parts([b"x" * 100, b"y" * 50]))
    monkeypatch.undo()
    assert inbox.read(str(tmp_path / "x.capture")).bodies == [b"x" * 100, b"y" * 50]


def test_names_sort_by_time_and_are_never_given_twice() -> None:
    times = [1, 999_999_999, 10**9, 1_800_000_000_000_000_000, 9_999_999_999_999_999_999]
    names = [inbox.new_name(moment) for moment in times]
    assert names == sorted(names)
    assert len({inbox.new_name(5) for _ in range(1000)}) == 1000
    assert inbox.age(inbox.new_name(5 * 10**9), 7 * 10**9) == 2.0
    assert inbox.age("hello.capture") is None


def test_only_captures_count_as_pending(tmp_path: Path) -> None:
    store = str(tmp_path / "store.sqlite")
    folder = Path(inbox.inbox_of(store))
    assert folder.name == "store.sqlite.inbox"
    assert not inbox.pending(store)
    assert inbox.waiting(store) == []
    inbox.make_folder(str(folder))
    for name in ("settling", "recent", "x.capture.partial", "broken"):
        (folder / name).write_text("")
    assert not inbox.pending(store)
    for name in ("2.capture", "1.capture"):
        (folder / name).write_text("")
    assert inbox.pending(store)
    assert inbox.waiting(store) == ["1.capture", "2.capture"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_captures_are_for_the_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "c.inbox"
    inbox.make_folder(str(folder))
    inbox.put(str(folder), "x.capture", parts([b"x"]))
    for made in (tmp_path / "a", tmp_path / "a" / "b", folder):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "x.capture").stat().st_mode) == 0o600
