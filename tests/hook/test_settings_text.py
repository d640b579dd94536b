"""Editing JSON text changes the one place and not a byte around it."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.hook import settings_text as texts

NAMES = st.sampled_from(["a", "b", "hooks", "é", "x y", '"', "\\", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda child: st.lists(child, max_size=3) | st.dictionaries(NAMES, child, max_size=3),
    max_leaves=15,
)


def loosely(value: Any, rng: random.Random) -> str:
    """JSON text with any white space between the tokens."""

    def space() -> str:
        return rng.choice(["", "", " ", "\n", "\t", "\r\n", "\n    ", "  \n\t"])

    if isinstance(value, dict):
        pairs = [
            f"{space()}{json.dumps(key)}{space()}:{space()}{loosely(item, rng)}{space()}"
            for key, item in value.items()
        ]
        return "{" + (",".join(pairs) or space()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(space() + loosely(v, rng) + space() for v in value) or space()) + "]"
    return json.dumps(value, ensure_ascii=rng.random() < 0.5)


def containers(value: Any, path: texts.Path = ()) -> list[texts.Path]:
    found: list[texts.Path] = []
    if isinstance(value, dict | list):
        found.append(path)
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            found += containers(item, (*path, key))
    return found


@given(
    value=st.dictionaries(NAMES, VALUES, max_size=4),
    new=VALUES,
    seed=st.integers(0, 2**32),
)
def test_what_is_inserted_and_cut_out_leaves_the_text_as_it_was(
    value: dict[str, Any], new: Any, seed: int
) -> None:
    rng = random.Random(seed)
    text = loosely(value, rng)
    path = rng.choice(containers(value))
    target = texts.value_at(value, path)
    if isinstance(target, dict):
        longer = texts.with_member(text, path, "new key", new)
        entry: texts.Path = (*path, "new key")
        expected = {**target, "new key": new}
    else:
        longer = texts.with_item(text, path, new)
        entry = (*path, len(target))
        expected = [*target, new]  # type: ignore[assignment]
    after = json.loads(longer)
    assert texts.value_at(after, path) == expected
    back = texts.without(longer, entry)
    assert json.loads(back) == value
    if target:
        assert back == text


@given(value=st.dictionaries(NAMES, VALUES, min_size=1, max_size=4), seed=st.integers(0, 2**32))
def test_any_entry_can_be_cut_out(value: dict[str, Any], seed: int) -> None:
    rng = random.Random(seed)
    text = loosely(value, rng)
    filled = [path for path in containers(value) if texts.value_at(value, path)]
    path = rng.choice(filled)
    target = texts.value_at(value, path)
    key = rng.choice(list(target) if isinstance(target, dict) else range(len(target)))
    shorter = json.loads(texts.without(text, (*path, key)))
    del target[key]
    assert shorter == value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "k": {\n    "x": []\n  }\n}\n'),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": {\n\t\t"x": []\n\t}\n}'),
        ('{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "k": {\r\n        "x": []\r\n    }\r\n}'),
        ('{"a":1}', '{"a":1, "k": {"x": []}}'),
        ('{ "a": 1 }', '{ "a": 1, "k": {"x": []} }'),
        ("{}", '{\n  "k": {\n    "x": []\n  }\n}'),
        ("{}\n", '{\n  "k": {\n    "x": []\n  }\n}\n'),
    ],
)
def test_the_texts_own_style_is_kept(before: str, after: str) -> None:
    assert texts.with_member(before, (), "k", {"x": []}) == after


def test_a_container_in_the_depth_is_indented_from_its_own_line() -> None:
    before = '{\n   "a": {\n      "b": []\n   }\n}'
    after = (
        '{\n   "a": {\n      "b": [\n         {\n            "c": 1\n         }\n      ]\n   }\n}'
    )
    assert texts.with_item(before, ("a", "b"), {"c": 1}) == after
    assert texts.without(after, ("a", "b", 0)) == before


def test_of_keys_that_stand_twice_the_last_is_meant() -> None:
    text = '{"a": [1], "a": [2]}'
    assert texts.with_item(text, ("a",), 3) == '{"a": [1], "a": [2, 3]}'
    assert texts.without(text, ("a", 0)) == '{"a": [1], "a": []}'
