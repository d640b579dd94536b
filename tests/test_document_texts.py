"""Texts are kept to the byte and read exactly, or refused with the place of what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from casstore import documents
from casstore.errors import Damaged, InvalidDocument
from casstore.records import BINARY, EXACT_JSON, JSON, TEXT
from tests.support.exact import assert_same
from tests.support.reading import nested_lists, restored, sha256
from tests.support.strategies import ANY_VALUE
from tests.support.strategies import TEXT as ANY_TEXT

_STYLES = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 2, "\t"]),
        "ensure_ascii": st.booleans(),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" ,\r\n", "\t:")]),
    }
)


class TestTexts:
    @given(ANY_VALUE, _STYLES)
    def test_are_kept_to_the_byte_and_read_exactly(self, value: Any, style: Any) -> None:
        text = json.dumps(value, **style).encode("utf-8", "backslashreplace")
        document = documents.from_text(text, "text")
        assert document.payload == text
        assert document.digest == sha256(text)
        assert_same(restored(document), value)
        assert document.content_hash == documents.from_value(value, "value").content_hash

    @pytest.mark.parametrize(
        ("text", "value", "codec"),
        [
            (b"1E2", 100.0, JSON),
            (b"1.50", 1.5, JSON),
            (b"-0.0", -0.0, JSON),
            (b"0.1000000000000000055511151231257827", 0.1, JSON),
            (b"18446744073709551615", 2**64 - 1, JSON),
            (b"18446744073709552000", 18446744073709552000, EXACT_JSON),
            (b"NaN", float("nan"), EXACT_JSON),
            (b"1e999", float("inf"), EXACT_JSON),
            (b'"\\ud83d"', "\ud83d", EXACT_JSON),
            (b'"\\ud83d\\ude00"', "\U0001f600", JSON),
            (b'"\\u00e9"', "\u00e9", JSON),
            (b"[" * 400 + b"]" * 400, nested_lists(400), EXACT_JSON),
        ],
        ids=lambda x: repr(x)[:24],
    )
    def test_spellings(self, text: bytes, value: Any, codec: int) -> None:
        document = documents.from_text(text, "text")
        assert document.payload == text
        assert document.codec == codec
        assert_same(restored(document), value)

    def test_negative_zero_without_a_point_is_the_integer_that_python_reads(self) -> None:
        assert_same(restored(documents.from_text(b"[-0]", "text")), [0])

    @pytest.mark.parametrize(
        ("text", "message", "details"),
        [
            (b'{"a":\n  01}', "the file is not valid JSON: Expecting ',' delim", {"line": 2}),
            (b"\xef\xbb\xbf{}", "the file is not valid JSON: Unexpected UTF-8 BOM", {"line": 1}),
            (b'{"a":"\xff"}', "the file is not UTF-8 text: byte 6 is 0xff", {"offset": 6}),
            (b"", "the file is not valid JSON: Expecting value at line 1, column 1", {"line": 1}),
            (b"\x00", "the file is not valid JSON: Expecting value at line 1, column 1", {}),
            (b'{"a":1,"b":{"c":1,"c":2}}', "the file: the key 'c' stands twice", {"key": "c"}),
            (b'{"a":1,"\\u0061":1}', "the file: the key 'a' stands twice", {"key": "a"}),
        ],
    )  # fmt: skip
    def test_that_cannot_be_kept_are_refused_with_the_place(
        self, text: bytes, message: str, details: dict[str, object]
    ) -> None:
        with pytest.raises(InvalidDocument) as caught:
            documents.from_text(text, "the file")
        assert caught.value.message.startswith(message)
        assert details.items() <= caught.value.details.items()


class TestAnyText:
    @given(st.one_of(st.binary(), ANY_TEXT.map(lambda t: t.encode("utf-8", "surrogatepass"))))
    @example(b'{"a":1,"a":2}')
    @example(b"[" * 501 + b"]" * 501)
    @example(b"[" * 100_000)
    @example(b"1" * 5000)
    def test_every_byte_string_is_kept(self, text: bytes) -> None:
        document = documents.from_any_text(text, "text")
        assert document.payload == text
        assert document.digest == sha256(text)
        value = restored(document)
        if document.codec == TEXT:
            assert value == text.decode()
        elif document.codec == BINARY:
            assert value == text
        else:
            assert_same(value, json.loads(text))

    @given(ANY_VALUE, st.data())
    def test_json_with_a_byte_changed_is_never_read_as_something_else(
        self, value: Any, data: st.DataObject
    ) -> None:
        text = bytearray(documents.from_value(value, "value").payload)
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
        document = documents.from_any_text(bytes(text), "text")
        assert document.payload == text
        seen = restored(document)
        if document.codec in (JSON, EXACT_JSON):
            assert_same(seen, json.loads(text))
        else:
            with pytest.raises((ValueError, InvalidDocument)):
                documents.from_text(bytes(text), "text")

    @pytest.mark.parametrize(
        ("text", "codec", "value"),
        [
            (b'{"a":1,"b":2,"a":3}', EXACT_JSON, {"a": 3, "b": 2}),
            (b"{broken", TEXT, "{broken"),
            (b"\xef\xbb\xbf{}", TEXT, "\ufeff{}"),
            (b"\x89PNG\r\n", BINARY, b"\x89PNG\r\n"),
            (b'"\xed\xa0\xbd"', BINARY, b'"\xed\xa0\xbd"'),
            (b"", TEXT, ""),
        ],
    )
    def test_what_is_no_document_has_no_content_hash(
        self, text: bytes, codec: int, value: Any
    ) -> None:
        document = documents.from_any_text(text, "text")
        assert document.codec == codec
        assert document.content_hash is None
        assert_same(restored(document), value)
        assert documents.packed(text, codec) == document


class TestReading:
    @pytest.mark.parametrize(
        ("payload", "codec"),
        [
            (b"{broken", JSON),
            (b"\xff", JSON),
            (b"NaN", JSON),
            (b"{broken", EXACT_JSON),
            (b"\xff", EXACT_JSON),
            (b"\xff", TEXT),
            (b"{}", 0),
            (b"{}", 99),
            (b"{}", None),
        ],
    )
    def test_a_payload_that_its_codec_cannot_read_is_damage(
        self, payload: bytes, codec: Any
    ) -> None:
        with pytest.raises(Damaged):
            documents.value_of(payload, codec)
