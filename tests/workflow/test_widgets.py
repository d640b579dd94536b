"""The values of nodes, under the names that the workflow gives them."""

from __future__ import annotations

from typing import Any

import pytest

from casstore import workflow
from casstore.workflow import widgets
from casstore.workflow.widgets import own_names
from tests.support.templates import BLUEPRINTS, TEMPLATES, files_of
from tests.workflow.builders import Document, node


def inputs(*names: str) -> list[Document]:
    return [{"name": name, "type": "INT", "widget": {"name": name}} for name in names]


def one(**members: Any) -> Document:
    """A workflow of one node."""
    return {"nodes": [{"id": 1, "type": "T", **members}], "links": [], "version": 0.4}


def told(before: Document, after: Document) -> list[tuple[Any, ...]]:
    """Name, position and values of what differs, where that is all that does."""
    found = workflow.diff(before, after)
    [change] = found.nodes
    assert change.other == ()
    return [tuple(widget) for widget in change.widgets]


@pytest.mark.parametrize(
    ("members", "names"),
    [
        ({"widgets_values": [1, 2], "inputs": inputs("a", "b")}, ["a", "b"]),
        (
            {"widgets_values": [7, "randomize", 20], "inputs": inputs("seed", "steps")},
            ["seed", "control_after_generate", "steps"],
        ),
        ({"widgets_values": ["fixed", 1], "inputs": inputs("mode", "n")}, ["mode", "n"]),
        ({"widgets_values": [1, 2, 3], "inputs": inputs("b")}, None),
        ({"widgets_values": [1], "inputs": inputs("a", "b")}, None),
        ({"widgets_values": [1], "inputs": None}, None),
        ({"widgets_values": [1], "inputs": [{"widget": {"name": 3}}, None, {"widget": 1}]}, None),
        ({"widgets_values": [], "inputs": inputs("a")}, None),
        ({"widgets_values": {"a": 1}}, None),
        ({"widgets_values": [1, 2], "widgets_values_named": {"x": 1, "y": 2}}, ["x", "y"]),
        ({"widgets_values": [1, 9], "widgets_values_named": {"x": 1, "y": 2}}, ["x", "y"]),
        ({"widgets_values": [2, 1], "widgets_values_named": {"x": 1, "y": 2}}, None),
        ({"widgets_values": [5], "widgets_values_named": {"x": 1}}, ["x"]),
        ({"widgets_values": [1], "widgets_values_named": {"x": 1, "y": 2}}, None),
        (
            {"widgets_values": [1, 2], "properties": {"proxyWidgets": [["3", "w"], ["4", "w"]]}},
            ["w", "w"],
        ),
        ({"widgets_values": [1, 2], "properties": {"proxyWidgets": [["3", "w"]]}}, None),
        ({"widgets_values": [1], "properties": {"proxyWidgets": [[3]]}}, None),
    ],
)
def test_names_of_values(members: Document, names: list[str] | None) -> None:
    assert own_names(members) == names


def test_names_agree_with_those_that_editors_write() -> None:
    """On every node of the real workflows whose values are named by both."""
    agreed = checked = 0
    for file in (*files_of(TEMPLATES), *files_of(BLUEPRINTS)):
        for each in _nodes(file):
            named = each.get("widgets_values_named")
            if type(named) is dict and own_names(each) == list(named):
                guess = own_names({k: v for k, v in each.items() if k != "widgets_values_named"})
                if guess is not None:
                    checked += 1
                    # the value behind a number has no input, and more than one name
                    agreed += [n for n in guess if n != widgets.CONTROL] == [
                        n for n in named if n not in ("fixed", widgets.CONTROL)
                    ]
    assert checked > 700
    assert agreed == checked


def _nodes(file: Any) -> list[Document]:
    from casstore import jsontext
    from casstore.workflow.reading import read

    document = jsontext.loads(file.read_text(encoding="utf-8"))
    return [item.value for graph in read(document).graphs for item in graph.nodes.values()]


def test_without_names_values_are_told_by_position() -> None:
    assert told(one(widgets_values=[1, 2]), one(widgets_values=[1, 3])) == [(None, 1, 2, 3)]
    assert workflow.summary(
        workflow.diff(one(widgets_values=[1, 2]), one(widgets_values=[1, 3]))
    ) == ("T #1: value[1] 2 → 3")


def test_another_node_of_the_type_may_know_the_names() -> None:
    knows = {"id": 2, "type": "T", "widgets_values": [0, 0], "inputs": inputs("a", "b")}
    before, after = one(widgets_values=[1, 2]), one(widgets_values=[1, 3])
    before["nodes"].append(knows)
    after["nodes"].append(knows)
    assert told(before, after) == [("b", 1, 2, 3)]


def test_a_side_without_names_takes_the_other_side_s() -> None:
    before = one(widgets_values=[1, 2], properties={"proxyWidgets": [["1", "a"], ["2", "b"]]})
    after = one(widgets_values=[1, 3], properties={"proxyWidgets": [["1", "a"], ["2", "b"]]})
    del before["nodes"][0]["properties"]
    [change] = workflow.diff(before, after).nodes
    assert [tuple(widget) for widget in change.widgets] == [("b", 1, 2, 3)]


def test_more_values_than_before_are_compared_by_name_where_all_have_one() -> None:
    before = one(widgets_values=[1, 2], widgets_values_named={"a": 1, "c": 2})
    after = one(widgets_values=[1, 9, 3], widgets_values_named={"a": 1, "b": 9, "c": 3})
    found = told(before, after)
    assert [each[:2] for each in found] == [("b", 1), ("c", 2)]
    assert found[1][2:] == (2, 3)


def test_more_values_without_names_are_compared_by_position() -> None:
    found = told(one(widgets_values=[1]), one(widgets_values=[2, 3]))
    assert [each[1] for each in found] == [0, 1]
    assert [each[3] for each in found] == [2, 3]


def test_values_as_an_object_are_told_by_key() -> None:
    before = one(widgets_values={"video": "a.mp4", "b": 1, "gone": 1})
    after = one(widgets_values={"b": 2, "video": "a.mp4", "new": None})
    assert [each[:2] for each in told(before, after)] == [
        ("b", None),
        ("new", None),
        ("gone", None),
    ]


@pytest.mark.parametrize(
    ("before", "after"), [([1], {"a": 1}), (None, [1]), ([1], None), (3, 4), ([], {})]
)
def test_values_of_another_form_are_one_value(before: Any, after: Any) -> None:
    assert told(one(widgets_values=before), one(widgets_values=after)) == [
        (None, None, before, after)
    ]


def test_an_empty_list_is_not_no_list() -> None:
    [(name, position, _, after)] = told(one(), one(widgets_values=[]))
    assert (name, position, after) == (None, None, [])


def test_very_many_values_are_one_value() -> None:
    before, after = list(range(widgets.MAX_VALUES + 1)), list(range(widgets.MAX_VALUES + 2))
    assert told(one(widgets_values=before), one(widgets_values=after)) == [
        (None, None, before, after)
    ]


def test_named_values_that_say_the_same_again_are_not_told_twice() -> None:
    before = one(widgets_values=[1, 2], widgets_values_named={"a": 1, "b": 2})
    after = one(widgets_values=[1, 3], widgets_values_named={"a": 1, "b": 3})
    assert told(before, after) == [("b", 1, 2, 3)]


def test_named_values_that_say_something_else_are_told_too() -> None:
    before = one(widgets_values=[1, 2], widgets_values_named={"a": 1, "b": 2})
    after = one(widgets_values=[1, 3], widgets_values_named={"a": 1, "b": 4})
    [change] = workflow.diff(before, after).nodes
    assert [tuple(widget) for widget in change.widgets] == [("b", 1, 2, 3)]
    assert [tuple(each) for each in change.other] == [("/nodes/0/widgets_values_named/b", 2, 4)]


def test_two_names_for_one_position_do_not_move_it() -> None:
    before = one(widgets_values=[6, "fixed"], inputs=inputs("value"))
    after = one(widgets_values=[7, "fixed"], widgets_values_named={"value": 7, "fixed": "fixed"})
    after["nodes"][0]["inputs"] = inputs("value")
    [change] = workflow.diff(before, after).nodes
    assert [tuple(widget) for widget in change.widgets] == [("value", 0, 6, 7)]


def test_values_that_changed_their_places_are_told_by_place() -> None:
    before = one(widgets_values=[1, 2], widgets_values_named={"a": 1, "b": 2})
    after = one(widgets_values=[2, 1], widgets_values_named={"b": 2, "a": 1})
    assert [each[1:] for each in told(before, after)] == [(0, 1, 2), (1, 2, 1)]
    assert node(before, 1)["widgets_values"] == [1, 2]
