"""Arbitrary JSON values: everything that a document can hold, the rare kinds often."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import strategies as st

from casstore.jsontext import MAX_DEPTH

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

_EDGES = [0, 2**31, 2**53, 2**63, 2**64, 18446744073709552000, 10**18, 10**19, 10**20]
INTEGERS = st.one_of(
    st.integers(),
    st.builds(
        lambda edge, step, sign: sign * (edge + step),
        st.sampled_from(_EDGES),
        st.integers(-2, 2),
        st.sampled_from([1, -1]),
    ),
    st.integers(65, 14_283).flatmap(lambda bits: st.integers(2 ** (bits - 1), 2**bits - 1)),
    st.integers(-(10**30), 10**30),
)

FLOATS = st.one_of(
    st.floats(),
    st.sampled_from([-0.0, 1.0, 1e16, 1e-5, 1e22, 1e23, 2.9000000000000004, 2.0**63, 2.0**64]),
    st.sampled_from([5e-324, 2.2250738585072014e-308, 1.7976931348623157e308]),
    st.sampled_from([float("nan"), float("inf"), float("-inf")]),
    st.integers(-(2**70), 2**70).map(float),
)

# What marshal and JSON spell with special bytes, and what editors and models write.
_ODD_TEXT = ["", "(\x02\x00\x00\x00", "f\x03nan", "f\x04-inf", '"\\', "\x00", "\x7f\x80", "\u2028"]
_ODD_TEXT += ["\ufeff", "\ud83d", "\ude00\ud83d", "\U0001f600", "e\u0301\u00e9", "</script>"]
TEXT = st.one_of(
    st.text(st.characters()),
    st.text(max_size=5),
    st.sampled_from(_ODD_TEXT),
).filter(lambda text: not _PAIR.search(text))

KEYS = st.one_of(TEXT, st.sampled_from(["0", "1", "10", "9", "a", "A", "nodes", "inputs", "id"]))

_LEAVES = st.one_of(st.none(), st.booleans(), INTEGERS, FLOATS, TEXT)


def _big_object(seed: int, size: int) -> dict[str, Any]:
    rng = random.Random(seed)
    keys = [str(number) for number in range(size)]
    rng.shuffle(keys)
    values = (rng.random(), rng.randrange(2**66), None, "text", [True], {"b": 1, "a": 2.0})
    return {key: rng.choice(values) for key in keys}


def nested(value: Any, levels: int, seed: int = 0) -> Any:
    """``value`` inside so many lists and objects."""
    rng = random.Random(seed)
    for _ in range(levels):
        value = [value] if rng.random() < 0.5 else {"k": value}
    return value


VALUES: st.SearchStrategy[Any] = st.recursive(
    _LEAVES,
    lambda children: st.one_of(
        st.lists(children, max_size=6), st.dictionaries(KEYS, children, max_size=6)
    ),
    max_leaves=25,
)

# A level more is the root object around it; the value itself is four deep at most.
DEEP = st.builds(
    nested,
    st.one_of(_LEAVES, st.lists(_LEAVES, max_size=2)),
    st.integers(200, MAX_DEPTH - 3),
    st.integers(0, 3),
)

BIG = st.builds(_big_object, st.integers(0, 2**16), st.integers(200, 2000))

ANY_VALUE = st.one_of(VALUES, VALUES, VALUES, DEEP, BIG)

DOCUMENTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.dictionaries(KEYS, VALUES, max_size=8),
    st.dictionaries(KEYS, VALUES, max_size=8),
    st.builds(lambda key, value: {key: value}, KEYS, st.one_of(DEEP, BIG)),
)
"""Objects, as ``Store.save`` takes them."""
