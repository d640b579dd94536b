"""A ComfyUI workflow as the editor changes it: nodes come and go, and their links with them.

A workflow holds one graph at its root and one in each subgraph definition. They differ in shape: a
root link is a list ``[id, origin, origin slot, target, target slot, type]``, a subgraph link is an
object with the same facts by name, and a subgraph names the links of its own sockets once more
(``linkIds``). What the editor keeps in step is kept in step here: both ends of every link,
``last_node_id`` and ``last_link_id`` (they only grow), and the execution order of the nodes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, NamedTuple

Node = dict[str, Any]
Link = Any  # a list in the root graph, an object in a subgraph


class Ends(NamedTuple):
    """What a link joins. Origin -10 and target -20 are a subgraph's own sockets."""

    id: int
    origin: int
    origin_slot: int
    target: int
    target_slot: int


class Graph(NamedTuple):
    """One graph of a workflow; ``own`` is the object that holds its ``nodes`` and ``links``."""

    workflow: dict[str, Any]
    own: dict[str, Any]

    @property
    def nodes(self) -> list[Node]:
        nodes: list[Node] = self.own["nodes"]
        return nodes

    @property
    def links(self) -> list[Link]:
        links: list[Link] = self.own["links"]
        return links

    @property
    def is_root(self) -> bool:
        return self.own is self.workflow


def graphs(workflow: dict[str, Any]) -> list[Graph]:
    """The root graph and every subgraph, in file order."""
    inner = (workflow.get("definitions") or {}).get("subgraphs") or []
    return [Graph(workflow, own) for own in (workflow, *inner)]


def ends(link: Link) -> Ends:
    """The ends of a link of either shape."""
    if isinstance(link, list):
        return Ends(*link[:5])
    return Ends(
        link["id"],
        link["origin_id"],
        link["origin_slot"],
        link["target_id"],
        link["target_slot"],
    )


def remove_node(graph: Graph, node: Node) -> None:
    """Take a node out, and every link that begins or ends at it."""
    gone = {e.id for e in map(ends, graph.links) if node["id"] in (e.origin, e.target)}
    graph.nodes.remove(node)
    graph.links[:] = [link for link in graph.links if ends(link).id not in gone]
    for other in graph.nodes:
        for socket in other.get("inputs") or []:
            if socket.get("link") in gone:
                socket["link"] = None
        for socket in other.get("outputs") or []:
            if socket.get("links"):
                socket["links"] = [link for link in socket["links"] if link not in gone]
        if other.get("order", 0) > node.get("order", 0):
            other["order"] -= 1
    for socket in [*(graph.own.get("inputs") or []), *(graph.own.get("outputs") or [])]:
        if socket.get("linkIds"):
            socket["linkIds"] = [link for link in socket["linkIds"] if link not in gone]
    _drop_reroutes(graph.own.get("extra") or {}, gone)


def add_node(graph: Graph, node: Node, rng: random.Random) -> None:
    """Put a node in under the next id, wire its inputs to fitting outputs, and give it its place
    in the execution order: after what feeds it, or after the nodes that nothing feeds."""
    node["id"] = _next_id(graph, "last_node_id", "lastNodeId", (n["id"] for n in graph.nodes))
    feeders = [other for other in graph.nodes if other.get("outputs")]
    rng.shuffle(feeders)
    order = sum(
        1
        for other in graph.nodes
        if not any(socket.get("link") is not None for socket in other.get("inputs") or [])
    )
    for slot, socket in enumerate(node["inputs"]):
        if "widget" in socket:
            continue
        for feeder in feeders:
            kinds = [output.get("type") for output in feeder["outputs"]]
            if socket["type"] in kinds:
                _connect(graph, feeder, kinds.index(socket["type"]), node, slot)
                order = max(order, feeder.get("order", 0) + 1)
                break
    for other in graph.nodes:
        if other.get("order", 0) >= order:
            other["order"] += 1
    node["order"] = order
    graph.nodes.append(node)


def _connect(graph: Graph, origin: Node, origin_slot: int, target: Node, target_slot: int) -> None:
    link = _next_id(graph, "last_link_id", "lastLinkId", (ends(link).id for link in graph.links))
    output, socket = origin["outputs"][origin_slot], target["inputs"][target_slot]
    output["links"] = [*(output.get("links") or []), link]
    socket["link"] = link
    facts = (link, origin["id"], origin_slot, target["id"], target_slot, socket["type"])
    if graph.is_root:
        graph.links.append(list(facts))
    else:
        names = ("id", "origin_id", "origin_slot", "target_id", "target_slot", "type")
        graph.links.append(dict(zip(names, facts, strict=True)))


def _next_id(graph: Graph, root_key: str, state_key: str, used: Iterable[int]) -> int:
    """The next id of its kind: never one that was used before, even if its owner is gone."""
    workflow = graph.workflow
    state = None if graph.is_root else graph.own.get("state")
    # a few templates hold their last id as text
    highest = max(int(workflow.get(root_key) or 0), (state or {}).get(state_key) or 0, *used)
    workflow[root_key] = highest + 1
    if state is not None:
        state[state_key] = highest + 1
    return highest + 1


def _drop_reroutes(extra: dict[str, Any], gone: set[int]) -> None:
    if extra.get("linkExtensions"):
        extra["linkExtensions"] = [e for e in extra["linkExtensions"] if e["id"] not in gone]
    for reroute in extra.get("reroutes") or []:
        reroute["linkIds"] = [link for link in reroute.get("linkIds") or [] if link not in gone]
