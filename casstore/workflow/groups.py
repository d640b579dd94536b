"""Compares the groups of two graphs: which came, went, or are called otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from casstore.workflow import records
from casstore.workflow.changes import changes
from casstore.workflow.exact import MISSING, same
from casstore.workflow.graphs import Item, UiGraph
from casstore.workflow.records import GroupChange, Turn


def group_changes(a: UiGraph, b: UiGraph) -> Iterator[GroupChange]:
    """The changes of groups but for their looks."""
    for key, item in b.groups.items():
        if key not in a.groups:
            yield _change(records.ADDED, b, item)
            continue
        old, new = (graph.bare_group(graph.groups[key].value) for graph in (a, b))
        if not same(old, new):
            made = _change(records.CHANGED, b, item)
            titles = old.pop("title", MISSING), new.pop("title", MISSING)
            yield made._replace(
                renamed=None if same(*titles) else Turn(*titles),
                other=tuple(changes(old, new, made.path)),
            )
    for key, item in a.groups.items():
        if key not in b.groups:
            yield _change(records.REMOVED, a, item)


def _change(change: str, graph: UiGraph, item: Item) -> GroupChange:
    title: Any = item.value.get("title", MISSING)
    path = f"{graph.place.path}/groups/{item.step}"
    return GroupChange(change, graph.place.names, title, path)
