"""The hook's small JSON reader and writer agree with ``json``, with and without its C module."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.hook import jsonio

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.text(),
    lambda child: st.lists(child, max_size=4) | st.dictionaries(st.text(), child, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_is_read(value: Any) -> None:
    text = jsonio.dumps(value)
    assert text.isascii()
    assert jsonio.loads(text.encode()) == json.loads(text) == value


@given(VALUES, st.booleans())
def test_both_readers_read_the_same(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    fast, quote = jsonio._accelerated()
    plain, _ = jsonio._standard()
    assert fast(text) == plain(text) == value
    assert quote(text) == json.dumps(text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", '{"a":}', "nul", "1 2", '"\\x"', "[1,]", "{'a': 1}", "[" * 100_000, '"\\ud8"'],
)
def test_what_is_no_json_is_one_error(text: str) -> None:
    with pytest.raises(jsonio.NotJson):
        jsonio.loads(text.encode())
    with pytest.raises((ValueError, RecursionError)):
        jsonio._standard()[0](text)


@pytest.mark.parametrize("data", [b"\xff\xfe{\x00}\x00", b"\x80", b"\x00", b"\xed\xa0\x80"])
def test_what_is_no_utf8_is_the_same_error(data: bytes) -> None:
    with pytest.raises(jsonio.NotJson):
        jsonio.loads(data)


def test_the_reader_is_lenient_where_it_does_no_harm() -> None:
    assert jsonio.loads(b'\xef\xbb\xbf {"a": 1, "a": 2}\n') == {"a": 2}
    assert jsonio.loads(b'"a\nb"') == "a\nb"
    assert jsonio.loads(b"[" + b"9" * 5000 + b"]") == [float("inf")]


def test_without_the_c_module_the_public_one_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "_json", None)
    load, quote = jsonio._choose()
    assert (load('{"a": [1]}'), quote("\xe9")) == ({"a": [1]}, '"\\u00e9"')
