"""The links of one graph in the editor's format, whatever shape they are written in.

A link is a list ``[id, origin, origin slot, target, target slot, type]`` or an object with the
same facts by name; the table is a list of them, or an object with the links' ids as keys. What is
neither, and links that share an id, are *odd*: nothing is concluded from them, and they are
compared as the values they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from casstore.workflow.exact import exact_token, same
from casstore.workflow.pointers import Step

_NAMES = ("id", "origin_id", "origin_slot", "target_id", "target_slot")
_FACTS = frozenset((*_NAMES, "type"))

LOOK = "parentId"
"""The reroute dot a link begins at: how it is drawn."""


class Link(NamedTuple):
    """What a link joins. ``tail`` is its type, and whatever else it says."""

    id: Any
    origin: Any
    origin_slot: Any
    target: Any
    target_slot: Any
    tail: list[Any]
    step: Step
    """Where it is in the table."""

    @property
    def source(self) -> list[Any]:
        """Where it comes from: ``[origin, slot]`` and its tail."""
        return [self.origin, self.origin_slot, *self.tail]

    @property
    def ends(self) -> list[Any]:
        """All that it says but its own number."""
        return [*self[1:5], *self.tail]

    def enters(self, node: Any, slot: Step) -> bool:
        """True where it ends at this input of this node."""
        return same(self.target, node) and same(self.target_slot, slot)


class LinkTable:
    """The links of a graph by their ids."""

    def __init__(self, table: Any) -> None:
        self.by_id: dict[Hashable, Link] = {}
        self.odd: list[Any] = []
        """Values that are no link, or not the only one with their id; of an object in pairs with
        their keys."""
        self.leaving: dict[tuple[Hashable, Hashable], list[Hashable]] = {}
        """Ids of the links by the output they come from: node and slot."""
        repeated = set()
        found = list(_entries(table))
        for _, link in found:
            if isinstance(link, Link):
                key = exact_token(link.id)
                if key in self.by_id:
                    repeated.add(key)
                self.by_id[key] = link
        for key in repeated:
            del self.by_id[key]
        for raw, link in found:
            if link is None or exact_token(link.id) not in self.by_id:
                self.odd.append(raw)
        for key, link in self.by_id.items():
            place = (exact_token(link.origin), exact_token(link.origin_slot))
            self.leaving.setdefault(place, []).append(key)
        self.is_table = type(table) in (list, dict)

    def find(self, link_id: Any) -> Link | None:
        """The link with this id, where exactly one has it."""
        return self.by_id.get(exact_token(link_id))

    def resolved(self, link_id: Any) -> Any:
        """What an id stands for, without the number itself."""
        link = self.find(link_id)
        return {"dangling": link_id} if link is None else {"link": link.ends}

    def covers(self, ids: Any, node: Any, slot: Step) -> bool:
        """True where ``ids`` (a list, or null) are just the links that leave this output."""
        expected = self.leaving.get((exact_token(node), exact_token(slot)), ())
        if ids is None:
            return not expected
        if type(ids) is not list or len(ids) != len(expected):
            return False
        return {exact_token(link_id) for link_id in ids} == set(expected)


def _entries(table: Any) -> Iterator[tuple[Any, Link | None]]:
    if type(table) is list:
        for at, raw in enumerate(table):
            yield raw, _link(raw, at)
    elif type(table) is dict:
        for key, raw in table.items():
            yield [key, raw], _link(raw, key)


def _link(raw: Any, at: Step) -> Link | None:
    if type(raw) is list and len(raw) >= 5:
        link_id, origin, origin_slot, target, target_slot = raw[:5]
        return Link(link_id, origin, origin_slot, target, target_slot, raw[5:], at)
    if type(raw) is dict and all(name in raw for name in _NAMES):
        tail = [raw["type"]] if "type" in raw else []
        more = {key: raw[key] for key in raw if key not in _FACTS and key != LOOK}
        return Link(
            raw["id"],
            raw["origin_id"],
            raw["origin_slot"],
            raw["target_id"],
            raw["target_slot"],
            [*tail, more] if more else tail,
            at,
        )
    return None
