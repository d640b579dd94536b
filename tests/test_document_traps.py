"""Python values that JSON text cannot give back are refused with a typed error and their place."""

from __future__ import annotations

import array
import collections
import ctypes
import dataclasses
import datetime
import decimal
import enum
import fractions
import random
import sys
import types
import uuid
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import documents, jsontext
from casstore.errors import InvalidDocument
from tests.support.exact import assert_same
from tests.support.reading import restored
from tests.support.strategies import VALUES


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
