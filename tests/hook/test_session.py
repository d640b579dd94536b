"""What a session last captured is remembered, whatever its label, and lost without harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.hook.session import Memory, file_of, recall, remember


def facts(memory: Memory) -> tuple[str, str, str]:
    return memory.project, memory.folder, memory.left_out


@given(label=st.text(max_size=100) | st.sampled_from(["..", "../x", "/", "a/b", "\0", "x" * 5000]))
def test_any_label_has_a_file_in_the_folder(
    tmp_path_factory: pytest.TempPathFactory, label: str
) -> None:
    inbox = tmp_path_factory.mktemp("inbox")
    path = file_of(str(inbox), label)
    assert os.path.dirname(os.path.abspath(path)) == str(inbox / "sessions")
    remember(str(inbox), label, Memory("demo", "projects/demo/inputs", "1 a"), Memory(), 77)
    memory = recall(str(inbox), label)
    assert facts(memory) == ("demo", "projects/demo/inputs", "1 a")
    assert memory.touched_ns == 77


def test_the_same_facts_only_move_the_time(tmp_path: Path) -> None:
    inbox = str(tmp_path)
    remember(inbox, "s", Memory("p", "f"), Memory(), 10)
    first = os.stat(file_of(inbox, "s")).st_ino
    remember(inbox, "s", Memory("p", "f"), recall(inbox, "s"), 20)
    assert os.stat(file_of(inbox, "s")).st_ino == first
    assert recall(inbox, "s").touched_ns == 20
    remember(inbox, "s", Memory("q", "f"), recall(inbox, "s"), 30)
    assert facts(recall(inbox, "s")) == ("q", "f", "")
    assert os.listdir(tmp_path / "sessions") == ["s"]


@pytest.mark.parametrize(
    "data", [b"", b"1\n", b"2\na\nb\nc\n", b"\xff" * 10, b"1\n" + b"x" * 10_000, b"1\na\nb\nc\nd\n"]
)
def test_a_file_of_another_kind_is_nothing_remembered(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "s").write_bytes(data)
    assert facts(recall(str(tmp_path), "s")) == ("", "", "")


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file")
    remember(str(tmp_path), "s", Memory("p", "f"), Memory(), 1)
    remember(str(tmp_path / "none"), "s", Memory("p", "f"), Memory(), 1)
    remember(str(tmp_path), "s", Memory("p\n", "f"), Memory(), 1)
    remember(str(tmp_path), "s", Memory("p", "f" * 10_000), Memory(), 1)
    assert facts(recall(str(tmp_path), "s")) == ("", "", "")
