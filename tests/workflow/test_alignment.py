"""Which items of two lists belong together."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.workflow import alignment
from casstore.workflow.alignment import Pair, align

ITEMS = st.lists(st.sampled_from(["a", "b", "c", 1, 1.0, True, None, [1]]), max_size=12)


def pairs(before: list[Any], after: list[Any]) -> list[tuple[int | None, int | None]]:
    found = align(before, after)
    assert found is not None
    return [tuple(pair) for pair in found.pairs]


@given(ITEMS, ITEMS)
def test_every_item_is_in_one_pair_and_pairs_cross_nowhere(
    before: list[Any], after: list[Any]
) -> None:
    found = align(before, after)
    if found is None:
        return
    olds = [pair.before for pair in found.pairs if pair.before is not None]
    news = [pair.after for pair in found.pairs if pair.after is not None]
    assert olds == list(range(found.start, found.start + len(olds)))
    assert news == list(range(found.start, found.start + len(news)))
    assert len(before) - len(olds) == len(after) - len(news)  # both equal ends
    both = [pair for pair in found.pairs if None not in pair]
    assert all(x.before < y.before and x.after < y.after for x, y in pairwise(both))  # type: ignore[operator]


def test_equal_ends_are_not_looked_at_again() -> None:
    assert align([1, 2, 3, 4], [1, 2, 9, 4]) == (2, [Pair(2, 2)])


def test_the_types_of_numbers_count() -> None:
    assert align([1, 2], [1.0, 2]) == (0, [Pair(0, 0)])
    assert align([1, 5, 7, True], [True, 5, 8, 1]) is not None


def test_an_item_that_went_leaves_the_others_matched() -> None:
    assert pairs(["a", "b", "c", "d"], ["b", "c", "e", "d"]) == [
        (0, None),
        (1, 0),
        (2, 1),
        (None, 2),
    ]


def test_items_with_ids_pair_with_their_namesakes_only() -> None:
    before = [{"id": 1, "v": 1}, {"id": 2, "v": 1}, {"id": 3, "v": 1}]
    after = [{"id": 3, "v": 2}, {"id": 1, "v": 2}, {"id": 4, "v": 2}]
    assert pairs(before, after) == [(0, None), (1, None), (2, 0), (None, 1), (None, 2)]


def test_items_without_names_are_paired_by_position() -> None:
    assert pairs([[1], [2], "x"], [[3], "x", [4]])[0] == (0, 0)


def test_lists_with_nothing_in_common_have_no_alignment() -> None:
    assert align([], [1]) is None
    assert align([{"id": 1}], [{"id": 2}]) is None


def test_a_middle_that_is_too_long_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MAX_GAP", 3)
    assert align(["a", 1, 2, 3, "z"], ["a", 4, 5, 6, "z"]) is not None
    assert align(["a", 1, 2, 3, 3, "z"], ["a", 4, 5, 6, "z"]) is None


@given(st.permutations(range(9)))
def test_the_most_items_stay_where_all_are_different(order: list[int]) -> None:
    before, after = ([{"id": number} for number in numbers] for numbers in (range(9), order))
    found = align(before, after)
    assert found is not None
    moved = sum(pair.after is None for pair in found.pairs)
    longest = [1] * 9
    for at in range(9):
        longest[at] = 1 + max((longest[i] for i in range(at) if order[i] < order[at]), default=0)
    assert 9 - moved == max(longest)
