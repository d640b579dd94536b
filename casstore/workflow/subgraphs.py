"""Compares what graphs are apart from their nodes: subgraph definitions, inputs and outputs, and
all that has no meaning of its own here, by path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from typing import Any

from casstore.workflow import records
from casstore.workflow.changes import ValueChange, changes
from casstore.workflow.exact import MISSING, exact_token, same
from casstore.workflow.graphs import Item, UiGraph
from casstore.workflow.labels import Side
from casstore.workflow.links import Link
from casstore.workflow.pointers import step
from casstore.workflow.records import SubgraphChange, Turn
from casstore.workflow.sockets import OUTPUTS, Sockets, sockets_changes

_BORDER = ("inputs", "outputs")
_STRIPPED = ("extra", "definitions", "inputNode", "outputNode")


def subgraph_changes(a: UiGraph, b: UiGraph) -> Iterator[SubgraphChange]:
    """The subgraphs whose definition came or went."""
    for key, item in b.subgraphs.items():
        if key not in a.subgraphs:
            yield _change(records.ADDED, b, item)
    for key, item in a.subgraphs.items():
        if key not in b.subgraphs:
            yield _change(records.REMOVED, a, item)


def _change(change: str, graph: UiGraph, item: Item) -> SubgraphChange:
    value = item.value
    return SubgraphChange(
        change,
        graph.place.names,
        value.get("id", MISSING),
        value.get("name", MISSING),
        f"{graph.place.path}/definitions/subgraphs/{item.step}",
        len(value["nodes"]),
    )


def own_change(before: Side, after: Side) -> Iterator[SubgraphChange]:
    """What changed of one subgraph's definition but for its nodes, groups and subgraphs."""
    a, b = before.graph, after.graph
    assert isinstance(a, UiGraph)
    assert isinstance(b, UiGraph)
    old, new = dict(a.rest), dict(b.rest)
    names = old.pop("name", MISSING), new.pop("name", MISSING)
    bare = Sockets(before, a.value, old), Sockets(after, b.value, new)
    wires, other = sockets_changes(*bare, b.place.path, OUTPUTS)
    other += graph_changes(a, b, frozenset(("name", *_BORDER)))
    renamed = None if same(*names) else Turn(*names)
    if wires or other or renamed:
        yield SubgraphChange(
            records.CHANGED,
            b.place.names[:-1],
            b.value.get("id", MISSING),
            b.value.get("name", MISSING),
            b.place.path,
            len(b.value["nodes"]),
            renamed,
            tuple(wires),
            tuple(other),
        )


def graph_changes(
    a: UiGraph, b: UiGraph, known: frozenset[str] = frozenset()
) -> Iterator[ValueChange]:
    """The changes of a graph that are none of nodes, groups, subgraphs, looks or ``known`` keys."""
    path = b.place.path
    for key in [*b.rest, *(key for key in a.rest if key not in b.rest)]:
        if key not in known:
            old, new = a.rest.get(key, MISSING), b.rest.get(key, MISSING)
            if key in _STRIPPED and MISSING in (old, new) and dict in (type(old), type(new)):
                # it holds nothing but looks on the one side
                old, new = ({} if value is MISSING else value for value in (old, new))
            yield from changes(old, new, path + step(key))
    yield from _loose_links(a, b)
    for name in sorted(a.odd.keys() | b.odd.keys()):
        old, new = a.odd.get(name, MISSING), b.odd.get(name, MISSING)
        if not same(old, new):
            yield ValueChange(
                path + ("/definitions" if name == "subgraphs" else "") + step(name), old, new
            )


def _loose_links(a: UiGraph, b: UiGraph) -> Iterator[ValueChange]:
    """Links that no input names and only one of the graphs has."""
    gone = _surplus(a.loose_links, b.loose_links)
    come = _surplus(b.loose_links, a.loose_links)
    for link in gone:
        yield ValueChange(f"{a.place.path}/links{step(link.step)}", _raw(a, link), MISSING)
    for link in come:
        yield ValueChange(f"{b.place.path}/links{step(link.step)}", MISSING, _raw(b, link))


def _surplus(links: list[Link], others: list[Link]) -> list[Link]:
    counts: Counter[Hashable] = Counter(exact_token(link.ends) for link in others)
    made = []
    for link in links:
        ends = exact_token(link.ends)
        if counts[ends]:
            counts[ends] -= 1
        else:
            made.append(link)
    return made


def _raw(graph: UiGraph, link: Link) -> Any:
    return graph.value["links"][link.step]
