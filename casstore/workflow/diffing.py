"""Compares two ComfyUI documents and reports every difference once, in a workflow's own terms.

The result is empty exactly where the documents are equal in value and type; the order of keys
does not count. Looks are reported apart, and with nothing else exactly where the documents have
the same `casstore.workflow.identity`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from casstore.formats import API, OTHER, UI, WRAPPED
from casstore.workflow import looks, records
from casstore.workflow.changes import ValueChange, changes
from casstore.workflow.cosmetics import cosmetics
from casstore.workflow.exact import MISSING, check, depth_checked, same
from casstore.workflow.graphs import ApiGraph, Graph, UiGraph
from casstore.workflow.groups import group_changes
from casstore.workflow.identity import same_graph
from casstore.workflow.labels import Labels, Side
from casstore.workflow.nodes import alone, compare
from casstore.workflow.reading import Workflow, read
from casstore.workflow.records import Cosmetic, Diff, GroupChange, NodeChange, SubgraphChange
from casstore.workflow.subgraphs import graph_changes, own_change, subgraph_changes
from casstore.workflow.widgets import TypeNames

_WORDS = {
    API: "in API format",
    UI: "in the editor's format",
    WRAPPED: "a wrapped prompt",
    OTHER: "no workflow",
}


def diff(before: Any, after: Any) -> Diff:
    """The differences of two documents, which may be any JSON values.

    Raises `InvalidDocument` for objects that are no JSON values, and for what is nested too deep.
    The records share values with the documents.
    """
    check(before, "the first document")
    check(after, "the second document")
    with depth_checked():
        old, new = read(before), read(after)
        formats = (old.format, new.format)
        return Diff(formats) if same(before, after) else _differing(old, new, before, after)


def _differing(old: Workflow, new: Workflow, before: Any, after: Any) -> Diff:
    formats = (old.format, new.format)
    note = None
    if old.format != new.format:
        note = f"The first document is {_WORDS[old.format]}, the second is {_WORDS[new.format]}"
        if not _counterparts(old, new):
            note += ", which cannot be compared node by node. Compare documents of one format."
            return Diff(formats, other=(ValueChange("", before, after),), note=note)
        note += "; the graphs in them are compared."
    made = _compared(old, new)._replace(note=note)
    if made.empty:
        made = _by_path(made, before, after)
    return made


def _counterparts(old: Workflow, new: Workflow) -> bool:
    return bool({g.place.key for g in old.graphs} & {g.place.key for g in new.graphs})


def _by_path(made: Diff, before: Any, after: Any) -> Diff:
    """Documents that differ in nothing a record is made for: every difference by its path."""
    found = tuple(changes(before, after))
    if same_graph(before, after):
        return made._replace(cosmetic=(Cosmetic(looks.OTHER, "workflow", (), "", found),))
    return made._replace(other=found)


def _compared(old: Workflow, new: Workflow) -> Diff:
    """The differences, graph by graph."""
    types = TypeNames([*new.graphs, *old.graphs])
    labels_old, labels_new = Labels(old), Labels(new)
    counterparts = {graph.place.key: graph for graph in old.graphs}
    made = _Parts([], [], [], [*changes(old.shell, new.shell), *_moved(old, new)], [])
    for graph in new.graphs:
        counterpart = counterparts.get(graph.place.key)
        if counterpart is not None:
            before, after = (
                Side(counterpart, labels_old, types),
                Side(graph, labels_new, types),
            )
            _add_graph(made, before, after)
    return Diff(
        (old.format, new.format),
        tuple(made.nodes),
        tuple(made.groups),
        tuple(made.subgraphs),
        tuple(made.other),
        tuple(made.cosmetic),
    )


class _Parts(NamedTuple):
    """The parts of a `Diff` while it is made."""

    nodes: list[NodeChange]
    groups: list[GroupChange]
    subgraphs: list[SubgraphChange]
    other: list[ValueChange]
    cosmetic: list[Cosmetic]


def _add_graph(made: _Parts, before: Side, after: Side) -> None:
    """Adds the differences of one graph; its subgraphs' insides are graphs of their own."""
    made.nodes.extend(_nodes(before, after))
    a, b = before.graph, after.graph
    if isinstance(a, ApiGraph) and isinstance(b, ApiGraph):
        made.other.extend(changes(a.rest, b.rest, b.place.path))
    elif isinstance(a, UiGraph) and isinstance(b, UiGraph):
        made.groups.extend(group_changes(a, b))
        made.subgraphs.extend(subgraph_changes(a, b))
        if b.inside:
            made.subgraphs.extend(own_change(before, after))
        else:
            made.other.extend(graph_changes(a, b))
        made.cosmetic.extend(cosmetics(a, b, after.labels))


def _nodes(before: Side, after: Side) -> Iterator[NodeChange]:
    """Changed nodes in the order of the second graph, then added, then removed ones."""
    old, new = before.graph.nodes, after.graph.nodes
    # with equal links an equal node means the same; most nodes of an edit are
    links = same(before.graph.value.get("links"), after.graph.value.get("links"))
    for key, item in new.items():
        if key in old and not (links and same(old[key].value, item.value)):
            change = compare(before, old[key], after, item)
            if change is not None:
                yield change
    for key, item in new.items():
        if key not in old:
            yield alone(records.ADDED, after, item)
    for key, item in old.items():
        if key not in new:
            yield alone(records.REMOVED, before, item)


def _moved(old: Workflow, new: Workflow) -> Iterator[ValueChange]:
    """Graphs of wrapped documents that came, went, or stand under another key."""
    before, after = (
        {graph.place.key: graph for graph in side.graphs if len(graph.place.key) == 1}
        for side in (old, new)
    )
    # the place of a document's own graph is its format, which says so itself
    wrapped = old.format == new.format

    def stays(a: Graph | None, b: Graph | None) -> bool:
        return bool(a and b and not (wrapped and a.place.path != b.place.path))

    for key, graph in before.items():
        if not stays(graph, after.get(key)):
            yield ValueChange(graph.place.path, graph.value, MISSING)
    for key, graph in after.items():
        if not stays(before.get(key), graph):
            yield ValueChange(graph.place.path, MISSING, graph.value)
