"""Documents: a value or a text comes back exactly, or is refused with a typed error."""

from __future__ import annotations

import array
import collections
import ctypes
import dataclasses
import datetime
import decimal
import enum
import fractions
import hashlib
import json
import random
import sys
import types
import uuid
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from casstore import documents, jsontext
from casstore.errors import Damaged, DocumentTooLarge, InvalidDocument
from casstore.records import BINARY, EXACT_JSON, JSON, TEXT, Document
from tests.support.exact import assert_same, difference, in_order, shuffled
from tests.support.strategies import ANY_VALUE, VALUES, nested
from tests.support.strategies import TEXT as ANY_TEXT


def restored(document: Document) -> Any:
    return documents.value_of(document.payload, document.codec)


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


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


class _Str(str):
    __slots__ = ()


class _Int(int):
    pass


class _Float(float):
    pass


class _Dict(dict):  # type: ignore[type-arg]
    pass


class _List(list):  # type: ignore[type-arg]
    pass


class _Color(enum.IntEnum):
    RED = 1


class _Word(str, enum.Enum):
    CAT = "cat"


class _Plain(enum.Enum):
    ONE = 1


@dataclasses.dataclass
class _Node:
    class_type: str = "KSampler"


@dataclasses.dataclass(eq=False)
class _NodeInBytes(bytearray):
    """A dataclass to orjson, a buffer to marshal."""

    class_type: str = "KSampler"


class _WordInBytes(bytes, enum.Enum):
    """A JSON value to orjson, which asks enum members for theirs, and a buffer to marshal."""

    def __new__(cls, raw: bytes, value: str) -> _WordInBytes:
        made = bytes.__new__(cls, raw)
        made._value_ = value
        return made

    CAT = (b"raw", "cat")


class _Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int),)


class _Named(collections.namedtuple("_Named", "x y")):
    __slots__ = ()


class _Dunder:
    """What looks like numpy's scalar."""

    dtype = "float32"

    def __float__(self) -> float:
        return 1.0

    def __index__(self) -> int:
        return 1


TRAPS: dict[str, Any] = {
    "int_key": {1: "a"},
    "none_key": {None: "a"},
    "bool_key": {True: "a"},
    "float_key": {1.0: "a"},
    "tuple_key": {("a",): "a"},
    "bytes_key": {b"a": "a"},
    "str_subclass_key": {_Str("a"): "a"},
    "enum_key": {_Word.CAT: "a"},
    "tuple": (1, 2),
    "empty_tuple": (),
    "named_tuple": _Named(1, 2),
    "set": {1},
    "frozenset": frozenset("a"),
    "bytes": b"text",
    "bytearray": bytearray(b"text"),
    "memoryview": memoryview(b"text"),
    "array": array.array("d", [1.0]),
    "ctypes": _Point(1),
    "str_subclass": _Str("a"),
    "int_subclass": _Int(1),
    "float_subclass": _Float(1.5),
    "float_subclass_nan": _Float("nan"),
    "dict_subclass": _Dict(a=1),
    "list_subclass": _List([1]),
    "ordered_dict": collections.OrderedDict(a=1),
    "default_dict": collections.defaultdict(int, a=1),
    "counter": collections.Counter("aab"),
    "user_dict": collections.UserDict(a=1),
    "mapping_proxy": types.MappingProxyType({"a": 1}),
    "simple_namespace": types.SimpleNamespace(a=1),
    "int_enum": _Color.RED,
    "str_enum": _Word.CAT,
    "enum": _Plain.ONE,
    "dataclass": _Node(),
    "dataclass_that_is_a_buffer": _NodeInBytes("raw"),
    "datetime": datetime.datetime(2026, 1, 31, tzinfo=datetime.timezone.utc),
    "date": datetime.date(2026, 1, 31),
    "time": datetime.time(12),
    "timedelta": datetime.timedelta(1),
    "uuid": uuid.UUID(int=5),
    "decimal": decimal.Decimal("1.5"),
    "fraction": fractions.Fraction(1, 2),
    "complex": 1j,
    "range": range(3),
    "generator": (x for x in [1]),
    "iterator": iter([1]),
    "function": len,
    "class": int,
    "ellipsis": ...,
    "not_implemented": NotImplemented,
    "stop_iteration": StopIteration,
    "code": compile("1", "x", "eval"),
    "numpy_like_scalar": _Dunder(),
    "fragment": orjson.Fragment(b'{"a":1}'),
    "fragment_of_no_json": orjson.Fragment(b"{"),
    "surrogate_pair_as_two": "\ud83d\ude00",
    "surrogate_pair_in_a_key": {"a\ud83d\ude00": 1},
    "integer_too_long": 10**4300,
    "negative_integer_too_long": -(10**5000),
}
if sys.version_info >= (3, 12):

    class _Buffer(str):
        def __buffer__(self, flags: int) -> memoryview:
            return memoryview(b"raw")

    TRAPS["str_that_is_a_buffer"] = _Buffer("a")


class TestTraps:
    @pytest.mark.parametrize("name", TRAPS)
    @pytest.mark.parametrize("make", [documents.from_value, documents.loose_from_value])
    def test_are_refused_with_a_typed_error(self, name: str, make: Any) -> None:
        for value in (TRAPS[name], {"nodes": [{"x": TRAPS[name]}]}, [2**64, TRAPS[name]]):
            with pytest.raises(InvalidDocument) as caught:
                make(value, "workflow_data")
            assert caught.value.message.startswith("workflow_data")

    @pytest.mark.xfail(reason="orjson cannot be told to refuse enum members")
    def test_an_enum_member_that_is_bytes_but_stands_for_text_is_refused(self) -> None:
        with pytest.raises(InvalidDocument):
            documents.from_value([_WordInBytes.CAT], "value")

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (
                {"5": {"inputs": [0, {"a b": (1,)}]}},
                "workflow_data['5'].inputs[1]['a b'] is of type builtins.tuple, which JSON text "
                "cannot give back; pass a list",
            ),
            (
                {"x": {1: 2}},
                "workflow_data.x has the key 1 of type int; JSON keys are strings: use str() on it",
            ),
            (
                {"x": {1}},
                "workflow_data.x is of type builtins.set, which JSON text cannot give back; "
                "pass a sorted list",
            ),
        ],
    )
    def test_are_named_with_their_place(self, value: Any, message: str) -> None:
        with pytest.raises(InvalidDocument) as caught:
            documents.from_value(value, "workflow_data")
        assert caught.value.message == message

    @given(VALUES, st.sampled_from(sorted(TRAPS)), st.randoms(use_true_random=False))
    def test_are_found_wherever_they_are(self, value: Any, name: str, rng: random.Random) -> None:
        holders: list[Any] = [value := {"root": value}]
        for holder in holders:  # grows
            children = holder.values() if isinstance(holder, dict) else holder
            holders.extend(child for child in children if isinstance(child, (dict, list)))
        holder = rng.choice(holders)
        if isinstance(holder, dict):
            holder["trap"] = TRAPS[name]
        else:
            holder.append(TRAPS[name])
        with pytest.raises(InvalidDocument):
            documents.from_value(value, "value")

    def test_a_value_that_contains_itself_is_refused(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        ring: dict[str, Any] = {"a": 1}
        ring["self"] = ring
        fork: list[Any] = []
        fork.extend([fork, fork])
        for value in (loop, ring, fork):
            with pytest.raises(InvalidDocument) as caught:
                documents.from_value(value, "value")
            assert caught.value.details == {"limit": jsontext.MAX_DEPTH}

    def test_a_value_named_twice_is_kept_twice(self) -> None:
        shared = {"a": [1]}
        document = documents.from_value([shared, shared], "value")
        assert_same(restored(document), [{"a": [1]}, {"a": [1]}])


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


def nested_lists(levels: int) -> Any:
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value


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


# (the JSON text that is saved, its canonical form, SHA-256 of that)
GOLDEN = [
    (
        "{}",
        "{}",
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    ),
    (
        "[]",
        "[]",
        "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
    ),
    (
        "null",
        "null",
        "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
    ),
    (
        "true",
        "true",
        "b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b",
    ),
    (
        '"text"',
        '"text"',
        "1e1d0f251d3a76fa2b1bfc81164078572623403887db02988b504b0492e9f076",
    ),
    (
        '""',
        '""',
        "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126",
    ),
    (
        "0",
        "0",
        "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
    ),
    (
        "-1",
        "-1",
        "1bad6b8cf97131fceab8543e81f7757195fbb1d36b376ee994ad1cf17699c464",
    ),
    (
        "18446744073709551615",
        "18446744073709551615",
        "2cdb26265b4dc65e3b44d694f121fd6de99b9e4b8ae7f08d84bfa9537635ae43",
    ),
    (
        "18446744073709551616",
        "18446744073709551616",
        "8b292fc2d32f1fd491784610c61b90dc4632a6e4add19261eca4c3979e4ea6d2",
    ),
    (
        "1.0",
        "1.0",
        "d0ff5974b6aa52cf562bea5921840c032a860a91a3512f7fe8f768f6bbe005f6",
    ),
    (
        "-0.0",
        "-0.0",
        "c26617c7ccbcaa6631b45d851b8cf56e21d2ca624bdb1193afdbd4b560702cec",
    ),
    (
        "[1e16,1e15,123456789012345680.0,1e22,1e23]",
        "[1e+16,1000000000000000.0,1.2345678901234568e+17,1e+22,1e+23]",
        "f452ca2cce423dd7e1bd0d68cd4536050f9b3c5a29f5399e0e0e1bdbdabc7bd9",
    ),
    (
        "[0.1,0.30000000000000004,0.0001,0.00001,1.5e-7]",
        "[0.1,0.30000000000000004,0.0001,0.00001,1.5e-7]",
        "b45694101b0b30b3b06d2434d0421bc5ea4c85fdc6be02c54cd626ccf6ee3afe",
    ),
    (
        "[5e-324,2.2250738585072014e-308,1.7976931348623157e308]",
        "[5e-324,2.2250738585072014e-308,1.7976931348623157e+308]",
        "b28df34c51135c4faee6b6815ac08d8fe348e66ef0b04cf69d2d1a8f43a009a6",
    ),
    (
        "NaN",
        "NaN",
        "d5b592c05dc25b5032553f1b27f4139be95e881f73db33b02b05ab20c3f9981e",
    ),
    (
        '{"max":Infinity,"min":-Infinity,"step":0.00001}',
        '{"max":Infinity,"min":-Infinity,"step":1e-05}',
        "fc08500dc888588ab5ac1401db077b935d6ea5c083d86bdb02e9e969aae26081",
    ),
    (
        '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\\\/\\u007f"',
        '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\x7f"',
        "124ee92bf414108a3ae6460fd120dcaeade70f8406785aa7143f296326e79cf0",
    ),
    (
        '"\\u00e9\\u20ac\\ud83d\\ude00\\u2028\\ufeff"',
        '"\xe9\u20ac\U0001f600\u2028\ufeff"',
        "b742531612f9453603321d94499487af179fd2564d5b7270f436dfa30d6139b3",
    ),
    (
        '"\\ud83d"',
        '"\\ud83d"',
        "2ef39d7e532783c70326bd1414557d41c30b77c9a5293288de1df7eb67575ffc",
    ),
    (
        '{"z":1,"a":2,"10":3,"9":4,"":5,"\\u00e9":6,"Z":7,"\\uffff":8,"\\ud83d\\ude00":9}',
        '{"":5,"10":3,"9":4,"Z":7,"a":2,"z":1,"\xe9":6,"\uffff":8,"\U0001f600":9}',
        "e3063bf561f45254867c62b0243d88224c49ae775b4548201461a54a04f7711c",
    ),
    (
        '{"b":{"d":[{"y":1,"x":null}],"c":false},"a":18446744073709552000}',
        '{"a":18446744073709552000,"b":{"c":false,"d":[{"x":null,"y":1}]}}',
        "28bcf97e89b64abdac2a90888e6886a0f64839be75e3973ac255b978e3670541",
    ),
    (
        '{"3":{"class_type":"KSampler","inputs":{"seed":156680208700286,"steps":20,"cfg":8.0}}}',
        '{"3":{"class_type":"KSampler","inputs":{"cfg":8.0,"seed":156680208700286,"steps":20}}}',
        "355ad2412b1d97c25caa324501c3642191118269d71a97d4268b4d52a563e655",
    ),
    (
        '{"nodes":[{"id":1,"pos":[100,130.5],"widgets_values":["cat",null,true]}],"links":[]}',
        '{"links":[],"nodes":[{"id":1,"pos":[100,130.5],"widgets_values":["cat",null,true]}]}',
        "07ce63f0f86179119f44ff1b47bd8bc795c78864ff2cac6b8f8f011b0fb90db8",
    ),
]


class TestGoldenVectors:
    """The content hash is what people see and compare, so its form must never move: not with
    orjson (whose float text changed once, in 3.11.7), not with Python."""

    @pytest.mark.parametrize(("text", "form", "content_hash"), GOLDEN, ids=lambda x: x[:20])
    def test_content_hash_and_canonical_form(self, text: str, form: str, content_hash: str) -> None:
        value = json.loads(text)
        assert documents.canonical(value).decode() == form
        assert sha256(form.encode()).hex() == content_hash
        for document in (
            documents.from_value(value, "value"),
            documents.from_text(text.encode(), "text"),
            documents.packed(*documents.loose_from_value(value, "value")[:2]),
        ):
            assert document.content_hash is not None
            assert document.content_hash.hex() == content_hash
