"""Documents: a value comes back exactly, with hashes of its text and of its content."""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import documents, jsontext
from casstore.errors import DocumentTooLarge, InvalidDocument
from casstore.records import EXACT_JSON, JSON
from tests.support.exact import assert_same, difference, in_order, shuffled
from tests.support.reading import nested_lists, restored, sha256
from tests.support.strategies import ANY_VALUE, VALUES, nested


class TestValues:
    @given(ANY_VALUE)
    def test_come_back_exactly(self, value: Any) -> None:
        document = documents.from_value(value, "value")
        assert_same(restored(document), value)

    @given(ANY_VALUE)
    def test_payload_is_compact_json_that_the_standard_library_reads_the_same(
        self, value: Any
    ) -> None:
        payload = documents.from_value(value, "value").payload
        assert_same(json.loads(payload), value)
        assert b"\n" not in payload

    @given(ANY_VALUE)
    def test_hashes_are_those_of_the_payload_and_of_the_canonical_form(self, value: Any) -> None:
        document = documents.from_value(value, "value")
        assert document.digest == sha256(document.payload)
        assert document.content_hash == sha256(documents.canonical(value))

    @given(ANY_VALUE, st.integers(0, 2**32))
    def test_content_hash_is_that_of_any_order_of_keys(self, value: Any, seed: int) -> None:
        other = shuffled(value, random.Random(seed))
        a, b = (documents.from_value(each, "value") for each in (value, other))
        assert a.content_hash == b.content_hash
        assert (a.digest == b.digest) == (difference(value, other) is None)

    @given(ANY_VALUE)
    def test_loose_documents_become_the_same_when_packed(self, value: Any) -> None:
        loose = documents.loose_from_value(value, "value")
        assert loose.content_hash is None
        assert_same(restored(loose), value)
        packed = documents.packed(loose.payload, loose.codec)
        assert packed.payload == loose.payload
        assert packed.digest == loose.digest
        assert_same(restored(packed), value)
        assert packed.content_hash == documents.from_value(value, "value").content_hash

    @pytest.mark.parametrize(
        ("value", "codec"),
        [
            ({"seed": 2**64 - 1, "cfg": 7.5, "text": "\u00e9\x00(abc"}, JSON),
            ([-(2**63), 1e300, -0.0, None, True, []], JSON),
            (2**64, EXACT_JSON),
            (-(2**63) - 1, EXACT_JSON),
            (float("nan"), EXACT_JSON),
            (float("-inf"), EXACT_JSON),
            ("\ud83d", EXACT_JSON),
            (nested(1, 250), JSON),
            (nested(1, 300), EXACT_JSON),
        ],
        ids=lambda x: repr(x)[:20],
    )
    def test_are_read_by_orjson_only_where_that_is_exact(self, value: Any, codec: int) -> None:
        document = documents.from_value(value, "value")
        assert document.codec == codec
        assert_same(restored(document), value)

    def test_distinct_scalars_have_distinct_hashes(self) -> None:
        values: list[Any] = [
            None,
            True,
            False,
            0,
            1,
            -1,
            0.0,
            -0.0,
            1.0,
            "",
            "0",
            "1",
            "null",
            [],
            {},
            [None],
        ]
        values += [2**64, 2.0**64, float("nan"), "NaN", float("inf"), "Infinity", {"": None}]
        made = [documents.from_value(value, "value") for value in values]
        assert len({each.content_hash for each in made}) == len(values)
        assert len({each.digest for each in made}) == len(values)

    @given(VALUES, VALUES)
    def test_content_hashes_differ_where_values_differ(self, a: Any, b: Any) -> None:
        same = difference(in_order(a), in_order(b)) is None
        hashes = [documents.from_value(each, "value").content_hash for each in (a, b)]
        assert (hashes[0] == hashes[1]) == same

    @pytest.mark.parametrize("limit", [0, 10**9])
    def test_both_ways_of_telling_types_agree(
        self, monkeypatch: pytest.MonkeyPatch, limit: int
    ) -> None:
        monkeypatch.setattr(documents, "_SCAN_LIMIT", limit)
        value: Any
        for value in ({"a": [1, 2.5, "(abc\x00"]}, ["f\x03nan", "f\x04-inf"], "(\x01\x00\x00\x00"):
            document = documents.from_value(value, "value")
            assert document.codec == JSON
            assert_same(restored(document), value)
        for value in ([float("nan")], [-float("inf")]):
            document = documents.from_value(value, "value")
            assert document.codec == EXACT_JSON
            assert_same(restored(document), value)
        for trap in ({"a": (1, 2)}, [(), ()], [(None,) * 300]):
            with pytest.raises(InvalidDocument):
                documents.from_value(trap, "value")


class TestLimits:
    @pytest.mark.parametrize("leaf", [1, float("nan"), "\ud83d"])
    def test_depth(self, leaf: Any) -> None:
        deepest = nested(leaf, jsontext.MAX_DEPTH)
        assert_same(restored(documents.from_value(deepest, "value")), deepest)
        with pytest.raises(InvalidDocument) as caught:
            documents.from_value([deepest], "value")
        assert caught.value.details == {"limit": jsontext.MAX_DEPTH}

    def test_depth_is_the_same_for_texts(self) -> None:
        text = b"[" * 500 + b"]" * 500
        assert_same(restored(documents.from_text(text, "text")), nested_lists(500))
        for levels in (501, 2000, 100_000):
            with pytest.raises(InvalidDocument):
                documents.from_text(b"[" * levels + b"]" * levels, "text")

    def test_integers(self) -> None:
        longest = 2**14_283 - 1
        for value in (longest, -longest):
            assert_same(restored(documents.from_value([value], "value")), [value])

    def test_integers_where_the_process_allows_fewer_digits(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        limit = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(1000)
        try:
            for make in (documents.from_value, documents.loose_from_value):
                with pytest.raises(InvalidDocument, match="set_int_max_str_digits"):
                    make(10**2000, "value")
        finally:
            sys.set_int_max_str_digits(limit)

    def test_size(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(documents, "MAX_PAYLOAD", 100)
        fits, too_large = "x" * 98, "x" * 99
        for make in (documents.from_value, documents.loose_from_value):
            assert len(make(fits, "value").payload) == 100
            with pytest.raises(DocumentTooLarge) as caught:
                make(too_large, "value")
            assert caught.value.details == {"size": 101, "limit": 100}
        for text in (b'"' + b"x" * 99 + b'"', b"x" * 101, b"\xff" * 101):
            with pytest.raises(DocumentTooLarge):
                documents.from_any_text(text, "text")
