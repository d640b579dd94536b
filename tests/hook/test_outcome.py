"""The hook says nothing, a short message, or (in strict mode) no; never yes."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.hook import allow, deny
from casstore.hook.outcome import LOG_LIMIT, MESSAGE_LIMIT, failed, log, warn


def test_no_objection_is_not_one_byte() -> None:
    assert allow("not high-value") == b""
    assert allow("captured") == b""


@given(st.text(max_size=3000))
def test_a_message_is_one_short_ascii_object(text: str) -> None:
    answer = warn(text)
    assert len(answer) < MESSAGE_LIMIT == 500
    assert answer.isascii()
    body = json.loads(answer)
    assert list(body) == ["systemMessage"]
    assert text.startswith(body["systemMessage"].removeprefix("casstore: ").removesuffix("..."))


@given(st.text(max_size=3000))
def test_a_refusal_is_one_short_ascii_object(text: str) -> None:
    answer = deny(text)
    assert len(answer) < MESSAGE_LIMIT
    assert answer.isascii()
    body = json.loads(answer)["hookSpecificOutput"]
    assert body["permissionDecision"] == "deny"
    assert body["hookEventName"] == "PreToolUse"


def test_short_texts_are_told_whole() -> None:
    assert json.loads(warn("the disk is full"))["systemMessage"] == "casstore: the disk is full"


def test_only_strict_mode_refuses() -> None:
    assert b"permissionDecision" not in failed("x", strict=False)
    assert b'"deny"' in failed("x", strict=True)


def test_the_log_is_lines_of_ascii_with_their_times(tmp_path: Path) -> None:
    store = str(tmp_path / "s.sqlite")
    log(store, "one\ntwo \u00e9")
    log(store, "x" * 10_000)
    lines = (tmp_path / "s.sqlite.hook.log").read_text("ascii").splitlines()
    assert len(lines) == 2
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d+ one\\ntwo \\xe9", lines[0])
    assert len(lines[1]) < 2100


def test_the_log_stays_within_twice_its_limit(tmp_path: Path) -> None:
    store = str(tmp_path / "s.sqlite")
    for _ in range(400):
        log(store, "y" * 1000)
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert len(sizes) == 2
    assert max(sizes) < LOG_LIMIT + 2100


def test_a_log_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    log(str(tmp_path / "no" / "s.sqlite"), "x")
    (tmp_path / "s.sqlite.hook.log").mkdir()
    log(str(tmp_path / "s.sqlite"), "x")


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_the_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("mine")
    (tmp_path / "s.sqlite.hook.log").symlink_to(tmp_path / "other")
    log(str(tmp_path / "s.sqlite"), "x")
    assert (tmp_path / "other").read_text() == "mine"
