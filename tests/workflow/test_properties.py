"""What holds for any two documents, sound or not."""

from __future__ import annotations

import copy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import jsontext, workflow
from casstore.errors import InvalidDocument
from casstore.workflow import diffing
from casstore.workflow.changes import changes
from tests.support.exact import shuffled
from tests.support.strategies import ANY_VALUE
from tests.workflow.documents import PAIRS, equal

Pair = tuple[Any, Any]


def copied(value: Any) -> Any:
    """The same value anew; `copy.deepcopy` does not reach 500 levels down."""
    return jsontext.loads(jsontext.dumps(value).decode())


@given(PAIRS)
def test_a_diff_is_empty_exactly_where_documents_are_equal(pair: Pair) -> None:
    found = workflow.diff(*pair)
    assert found.empty == equal(*pair)
    assert (workflow.summary(found) == "no changes") == found.empty


@given(PAIRS)
def test_only_looks_differ_exactly_where_the_graph_is_the_same(pair: Pair) -> None:
    assert workflow.diff(*pair).same_graph == workflow.same_graph(*pair)


@given(PAIRS)
def test_identities_are_equal_exactly_for_the_same_graph(pair: Pair) -> None:
    identities = [workflow.identity(document) for document in pair]
    assert [len(each) for each in identities] == [32, 32]
    assert (identities[0] == identities[1]) == workflow.same_graph(*pair)


@given(PAIRS)
def test_a_patch_turns_the_one_into_the_other(pair: Pair) -> None:
    before, after = pair
    patch = workflow.json_patch(before, after)
    assert (patch == []) == equal(before, after)
    made = jsonpatch.apply_patch(copied(before), copied(patch), in_place=True)
    assert equal(made, after)


@given(ANY_VALUE, ANY_VALUE)
def test_the_same_holds_for_values_of_any_size_and_depth(before: Any, after: Any) -> None:
    for a, b in ((before, after), (before, [before, after]), ({"x": after}, {"x": before})):
        patch = workflow.json_patch(a, b)
        assert equal(jsonpatch.apply_patch(copied(a), copied(patch), in_place=True), b)
        assert workflow.diff(a, b).empty == equal(a, b)


@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_count(pair: Pair, rng: Any) -> None:
    before, after = pair
    assert workflow.diff(before, shuffled(before, rng)).empty
    assert workflow.identity(before) == workflow.identity(shuffled(before, rng))
    assert workflow.json_patch(before, shuffled(before, rng)) == []
    assert workflow.diff(before, after).same_graph == (
        workflow.diff(shuffled(before, rng), shuffled(after, rng)).same_graph
    )


@given(PAIRS)
def test_there_is_a_change_by_path_exactly_where_values_differ(pair: Pair) -> None:
    assert (list(changes(*pair)) == []) == equal(*pair)


@given(PAIRS)
def test_documents_are_left_as_they_are(pair: Pair) -> None:
    kept = copy.deepcopy(pair)
    workflow.diff(*pair).as_dict()
    workflow.json_patch(*pair)
    workflow.same_graph(*pair)
    assert equal(list(pair), list(kept))


@given(PAIRS, st.integers(1, 120))
def test_a_summary_is_one_line_that_fits(pair: Pair, width: int) -> None:
    found = workflow.diff(*pair)
    line = workflow.summary(found, width)
    assert 0 < len(line) <= width
    assert "\n" not in line
    assert "\n" not in workflow.summary(found)


@given(PAIRS)
def test_the_record_is_plain_json_that_says_the_same(pair: Pair) -> None:
    found = workflow.diff(*pair)
    values = jsontext.loads(jsontext.dumps(found.as_dict()).decode())
    assert values["equal"] == found.empty
    assert values["same_graph"] == found.same_graph
    for name in ("nodes", "groups", "subgraphs", "other", "cosmetic"):
        assert len(values[name]) == len(getattr(found, name))


@given(PAIRS)
def test_a_difference_that_no_part_reports_is_reported_by_its_path(pair: Pair) -> None:
    """The last resort, which no document is known to need: it is tried by leaving out looks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diffing, "cosmetics", lambda *_: ())
        found = workflow.diff(*pair)
    assert found.empty == equal(*pair)
    assert found.same_graph == workflow.same_graph(*pair)


def test_the_last_resort_takes_what_it_does_not_know_for_more_than_looks() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diffing, "graph_changes", lambda *_: ())
        found = workflow.diff({"nodes": [], "x": 1}, {"nodes": [], "x": 2})
    assert [change.path for change in found.other] == ["/x"]


@pytest.mark.parametrize("document", [{"a": object()}, {"a": 1j, "b": object()}])
def test_what_is_no_json_value_is_refused(document: Any) -> None:
    for call in (
        lambda: workflow.diff({}, document),
        lambda: workflow.json_patch(document, {}),
        lambda: workflow.identity(document),
    ):
        with pytest.raises(InvalidDocument):
            call()


@pytest.mark.parametrize("depth", [700, 1500, 50_000])
def test_what_is_nested_too_deep_is_refused_or_compared(depth: int) -> None:
    document: Any = []
    for _ in range(depth):
        document = [document]
    for call in (
        lambda: workflow.diff({}, document),
        lambda: workflow.diff([1, document], [document, 2]),
        lambda: workflow.json_patch(document, {}),
        lambda: workflow.identity(document),
    ):
        try:
            call()
        except InvalidDocument as error:
            assert "deep" in error.message  # noqa: PT017  # either outcome is right
