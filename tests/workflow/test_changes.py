"""Differences of plain values, by path, and as patches."""

from __future__ import annotations

from typing import Any

import jsonpatch
import pytest

from casstore.workflow import changes as module
from casstore.workflow.changes import changes
from casstore.workflow.exact import MISSING, same, token
from casstore.workflow.patch import json_patch
from tests.support.exact import difference
from tests.workflow.documents import equal

NAN = float("nan")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, [("/a", 1, 1.0)]),
        ({"a": 1}, {"a": True}, [("/a", 1, True)]),
        ({"a": 0.0}, {"a": -0.0}, [("/a", 0.0, -0.0)]),
        ({"a": NAN}, {"a": float("nan")}, []),
        ({"a": None}, {}, [("/a", None, MISSING)]),
        ({}, {"a": None}, [("/a", MISSING, None)]),
        ({"a": {}}, {"a": []}, [("/a", {}, [])]),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, [("/a~1b/~0", 1, 2)]),
        ({"": {"": 1}}, {"": {"": 2}}, [("//", 1, 2)]),
        ([1, 2, 3], [1, 3], [("/1", 2, MISSING)]),
        ([1, 3], [1, 2, 3], [("/1", MISSING, 2)]),
        ([1], [], [("", [1], [])]),
        ("a", 1, [("", "a", 1)]),
        ({"x": 1, "y": 2}, {"y": 2, "x": 1}, []),
        (2**70, 2**70 + 1, [("", 2**70, 2**70 + 1)]),
    ],
)
def test_a_difference_is_told_by_path_and_value(
    before: Any, after: Any, expected: list[tuple[str, Any, Any]]
) -> None:
    found = [tuple(change) for change in changes(before, after)]
    assert [(path, a, b) for path, a, b in found] == expected
    assert [tuple(map(type, each)) for each in found] == [tuple(map(type, e)) for e in expected]
    assert (expected == []) == same(before, after) == equal(before, after)


def test_missing_is_no_key_in_json() -> None:
    [gone] = changes({"a": None}, {})
    assert gone.as_dict() == {"path": "/a", "before": None}
    assert repr(MISSING) == "MISSING"


def test_changes_come_in_the_order_of_the_document() -> None:
    before = {"a": 1, "b": [1, 2, {"c": 3, "d": 4}], "e": 5}
    after = {"a": 2, "b": [1, 9, {"c": 4, "d": 5}], "e": 6, "f": 7}
    assert [change.path for change in changes(before, after)] == [
        "/a",
        "/b/1",
        "/b/2/c",
        "/b/2/d",
        "/e",
        "/f",
    ]


def test_tokens_differ_where_values_do() -> None:
    values = [1, 1.0, True, "1", None, "", [], {}, [1], ["1"], {"a": 1}, 0.0, -0.0, False, 0]
    assert len({token(value) for value in values}) == len(values)


# Bounds: what is too deep, too far or too much is one value, and still exact.


def _nested(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = {"k": value}
    return value


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        (_nested([1, 2], 60), _nested([1, 3], 60), "/k" * module.MAX_DEPTH),
        ({"p" * 1200: {"a": {"b": 1}}}, {"p" * 1200: {"a": {"b": 2}}}, "/" + "p" * 1200),
        (
            {"o": {f"a{n}": n for n in range(module.MAX_KEYS + 1)}},
            {"o": {f"a{n}": n + 1 for n in range(module.MAX_KEYS + 1)}},
            "/o",
        ),
    ],
    ids=["deep", "far", "much"],
)
def test_beyond_a_bound_a_difference_is_one_value(before: Any, after: Any, path: str) -> None:
    [found] = changes(before, after)
    assert found.path == path
    [operation] = json_patch(before, after)
    assert operation["op"] == "replace"
    assert operation["path"] == path


# Patches


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        ({"a": 1}, {"a": 1.0}, [{"op": "replace", "path": "/a", "value": 1.0}]),
        ({"a": 1}, {}, [{"op": "remove", "path": "/a"}]),
        ([1, 2, 3, 4], [2, 3, 4], [{"op": "remove", "path": "/0"}]),
        ([1, 2], [1, 8, 9, 2], [
            {"op": "add", "path": "/1", "value": 8},
            {"op": "add", "path": "/2", "value": 9},
        ]),
        ([1], [1, None], [{"op": "add", "path": "/1", "value": None}]),
        ({}, [], [{"op": "replace", "path": "", "value": []}]),
        (
            {"nodes": [{"id": 1}, {"id": 2, "x": 0}, {"id": 3}]},
            {"nodes": [{"id": 2, "x": 1}, {"id": 3}, {"id": 4}]},
            [
                {"op": "add", "path": "/nodes/3", "value": {"id": 4}},
                {"op": "replace", "path": "/nodes/1/x", "value": 1},
                {"op": "remove", "path": "/nodes/0"},
            ],
        ),
    ],
)  # fmt: skip
def test_a_patch_says_no_more_than_it_has_to(
    before: Any, after: Any, patch: list[dict[str, Any]]
) -> None:
    made = json_patch(before, after)
    assert made == patch
    assert difference(jsonpatch.apply_patch(before, made), after) is None


def test_a_change_in_a_document_never_replaces_it() -> None:
    before = {str(n): {"class_type": "K", "inputs": {"a": n}} for n in range(9)}
    after = {key: {"class_type": "L", "inputs": {"a": -1}} for key in before}
    assert len(json_patch(before, after)) == 18
    assert all(operation["path"].count("/") > 1 for operation in json_patch(before, after))
