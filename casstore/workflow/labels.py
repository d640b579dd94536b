"""What to call the nodes of a document: a subgraph's instances by the subgraph's name."""

from __future__ import annotations

from typing import Any, NamedTuple

from casstore.workflow.exact import MISSING
from casstore.workflow.graphs import ApiGraph, Graph, Item, UiGraph
from casstore.workflow.reading import Workflow
from casstore.workflow.records import NodeRef
from casstore.workflow.widgets import TypeNames
from casstore.workflow.words import name_text


class Labels:
    """Labels for the nodes of one document."""

    def __init__(self, workflow: Workflow) -> None:
        self._kinds = {
            item.value["id"]: str(item.value["name"])
            for graph in workflow.graphs
            if isinstance(graph, UiGraph)
            for item in graph.subgraphs.values()
            if type(item.value.get("id")) is str and item.value.get("name")
        }

    def kind(self, node: dict[str, Any]) -> str:
        """A node's type, as people call it."""
        kind = node.get("class_type", node.get("type"))
        if type(kind) is str and kind in self._kinds:
            return name_text(self._kinds[kind])
        return "node" if kind is None or kind == "" else name_text(kind)

    def named(self, graph: Graph, node_id: Any) -> str:
        """``KSampler #3`` for an id."""
        item = graph.find(node_id)
        return f"{'node' if item is None else self.kind(item.value)} #{name_text(node_id)}"

    def ref(self, graph: Graph, item: Item) -> NodeRef:
        """The record of a node."""
        node = item.value
        if isinstance(graph, ApiGraph):
            node_id, kind = item.step, node.get("class_type", MISSING)
        else:
            node_id, kind = node.get("id", MISSING), node.get("type", MISSING)
        label = f"{self.kind(node)} #{name_text(node_id)}"
        return NodeRef(graph.place.names, node_id, kind, title(node), label, graph.path(item))


class Side(NamedTuple):
    """One of the two graphs in a comparison."""

    graph: Graph
    labels: Labels
    types: TypeNames


def title(node: dict[str, Any]) -> Any:
    """A node's title, `MISSING` where it has none."""
    if "class_type" in node:
        meta = node.get("_meta")
        return meta.get("title", MISSING) if type(meta) is dict else MISSING
    return node.get("title", MISSING)
