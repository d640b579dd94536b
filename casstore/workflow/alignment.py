"""Finds which items of two lists belong together, in time that grows with ``n log n``.

The longest common subsequence would take ``n²``. Equal ends are taken off first; between them the
k-th occurrence of an item can match the k-th occurrence only, which leaves a longest increasing
sequence to find. Where items are unique, as nodes with ids are, that is the longest common
subsequence.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from casstore.workflow.exact import same, token

MAX_GAP = 50_000
"""Items on either side between the equal ends; lists with more are not aligned."""


class Pair(NamedTuple):
    """Two items that belong together, or one that has no partner. Indices into the lists."""

    before: int | None
    after: int | None


class Identity(NamedTuple):
    """The token of an item that names itself: it pairs with its namesake or with nothing."""

    key: str
    name: Hashable


class Alignment(NamedTuple):
    """How two lists correspond."""

    start: int
    """So many items at the beginning are equal."""
    pairs: list[Pair]
    """Of the items between the equal ends, in order, every one in one pair: what belongs together
    in pairs of two, what is left over between those in pairs by position, then alone, removed
    before added."""


def align(before: Sequence[Any], after: Sequence[Any]) -> Alignment | None:
    """The correspondence of two lists; None where nothing is common, or where that is too much to
    tell: then the one is better replaced by the other."""
    shorter = min(len(before), len(after))
    start = _equal(before, after, shorter, from_end=False)
    end = _equal(before, after, shorter - start, from_end=True)
    stop, stop_after = len(before) - end, len(after) - end
    if max(stop, stop_after) - start > MAX_GAP:
        return None
    old = [_token(item) for item in before[start:stop]]
    new = [_token(item) for item in after[start:stop_after]]
    made: list[Pair] = []
    at, at_after = 0, 0
    for match in [*_anchors(old, new), (len(old), len(new))]:
        made += _gap(old, new, range(at, match[0]), range(at_after, match[1]))
        at, at_after = match[0] + 1, match[1] + 1
        if match[0] < len(old):
            made.append(Pair(*match))
    if not start and not end and not any(None not in pair for pair in made):
        return None
    return Alignment(start, [_shifted(pair, start) for pair in made])


def _shifted(pair: Pair, by: int) -> Pair:
    before, after = pair
    return Pair(None if before is None else before + by, None if after is None else after + by)


def _equal(before: Sequence[Any], after: Sequence[Any], most: int, *, from_end: bool) -> int:
    """How many items at one end are equal, up to ``most``. By halving: comparing whole slices runs
    at memory speed, and each is half as long as the one before."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if from_end:
            a = before[len(before) - middle : len(before) - low]
            b = after[len(after) - middle : len(after) - low]
        else:
            a, b = before[low:middle], after[low:middle]
        if same(a, b):
            low = middle
        else:
            high = middle - 1
    return low


def _token(item: Any) -> Hashable:
    """What an item is recognised by: its id, else its name, else all of it."""
    if type(item) is dict:
        for key in ("id", "name"):
            value = item.get(key)
            if type(value) is str or type(value) is int:
                return Identity(key, value)
    return token(item)


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The longest set of matches that cross nowhere."""
    places = {name: at for at, name in enumerate(_occurrences(new))}
    return _increasing(
        [(at, places[name]) for at, name in enumerate(_occurrences(old)) if name in places]
    )


def _occurrences(items: Iterable[Hashable]) -> Iterator[Hashable]:
    seen: dict[Hashable, int] = {}
    for item in items:
        count = seen[item] = seen.get(item, 0) + 1
        yield item, count


def _increasing(matches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second numbers grow; the first ones grow already."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for number, (_, place) in enumerate(matches):
        at = bisect_left(tails, place)
        previous.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(place)
            ends.append(number)
        else:
            tails[at], ends[at] = place, number
    chosen = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chosen.append(matches[number])
        number = previous[number]
    return chosen[::-1]


def _gap(
    old: Sequence[Hashable], new: Sequence[Hashable], olds: range, news: range
) -> Iterator[Pair]:
    """Items between two matches. Those that name themselves are not each other's successors."""
    named = any(isinstance(old[at], Identity) for at in olds) or any(
        isinstance(new[at], Identity) for at in news
    )
    both = 0 if named else min(len(olds), len(news))
    for a, b in zip(olds[:both], news[:both], strict=True):
        yield Pair(a, b)
    for a in olds[both:]:
        yield Pair(a, None)
    for b in news[both:]:
        yield Pair(None, b)
