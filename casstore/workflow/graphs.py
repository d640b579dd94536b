"""The graphs of a document, one class per format: what is in them, and what of it counts.

A graph gives its nodes under keys that stay the same over edits, and for each its *bare* form: a
value that is equal for nodes that differ in looks only (`casstore.workflow.looks`). In it a link
is what it joins and not its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

from casstore import documents
from casstore.workflow import looks
from casstore.workflow.exact import MISSING, json_text, same
from casstore.workflow.links import Link, LinkTable
from casstore.workflow.pointers import Step, step


class Key(NamedTuple):
    """What a node, group or subgraph is recognised by: its id, and the how-many-eth with it."""

    id: str
    """JSON text; of a node of the API format the id itself."""
    occurrence: int


class Item(NamedTuple):
    """An object in a list of the document, or in an object."""

    step: Step
    value: dict[str, Any]


class Place(NamedTuple):
    """Where a graph is. ``key`` finds its counterpart in another document."""

    key: tuple[Key, ...]
    path: str
    """JSON pointer."""
    names: tuple[str, ...]
    """The subgraphs on the way to it, by name; none for a document's own graph."""


class Graph:
    """What both formats have in common."""

    def __init__(self, value: dict[str, Any], place: Place) -> None:
        self.value = value
        self.place = place
        self.nodes: dict[Key, Item] = {}

    def path(self, item: Item) -> str:
        """The pointer of a node."""
        raise NotImplementedError

    def bare_node(self, node: dict[str, Any]) -> dict[str, Any]:
        """The node without looks, and each link as what it joins."""
        raise NotImplementedError

    def form(self) -> Any:
        """The whole graph without looks, subgraphs apart; equal for graphs that are the same."""
        raise NotImplementedError

    def find(self, node_id: Any) -> Item | None:
        """The node with this id, the last of several."""
        raise NotImplementedError


class ApiGraph(Graph):
    """The format that ComfyUI executes: ``{id: {"class_type", "inputs", "_meta"}}``."""

    def __init__(self, value: dict[str, Any], place: Place) -> None:
        super().__init__(value, place)
        self.rest: dict[str, Any] = {}
        """Members that are no nodes."""
        for name, node in value.items():
            if is_api_node(node):
                self.nodes[Key(name, 0)] = Item(name, node)
            else:
                self.rest[name] = node

    def find(self, node_id: Any) -> Item | None:
        return self.nodes.get(Key(node_id, 0)) if type(node_id) is str else None

    def path(self, item: Item) -> str:
        return self.place.path + step(item.step)

    def bare_node(self, node: dict[str, Any]) -> dict[str, Any]:
        """The node as it is: the format says nothing of looks."""
        return node

    def form(self) -> Any:
        return self.value


class UiGraph(Graph):
    """The editor's format: ``{"nodes": […], "links": […], "groups": […], …}``."""

    def __init__(self, value: dict[str, Any], place: Place, *, inside: bool = False) -> None:
        """``inside``: it is a subgraph's definition."""
        super().__init__(value, place)
        self.inside = inside
        self._odd: dict[str, list[Any]] = {}
        self.nodes = self._keyed("nodes", _id)
        self.groups = self._keyed("groups", _group_id)
        self.subgraphs = self._keyed("subgraphs", _id, is_ui_graph)

    def find(self, node_id: Any) -> Item | None:
        return self._by_id.get(json_text(node_id))

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {key.id: item for key, item in self.nodes.items()}

    def path(self, item: Item) -> str:
        return f"{self.place.path}/nodes/{item.step}"

    def listed(self, name: str) -> Any:
        """The list of this name: a member of the graph, or for subgraphs of its definitions."""
        if name != "subgraphs":
            return self.value.get(name)
        definitions = self.value.get("definitions")
        return definitions.get(name) if type(definitions) is dict else None

    def _keyed(
        self,
        name: str,
        key: Callable[[dict[str, Any]], str],
        fits: Callable[[Any], bool] = lambda item: type(item) is dict,
    ) -> dict[Key, Item]:
        items = self.listed(name)
        made: dict[Key, Item] = {}
        counts: dict[str, int] = {}
        for at, item in enumerate(items if type(items) is list else ()):
            if fits(item):
                own = key(item)
                count = counts[own] = counts.get(own, -1) + 1
                made[Key(own, count)] = Item(at, item)
            else:
                self._odd.setdefault(name, []).append(item)
        return made

    @cached_property
    def links(self) -> LinkTable:
        """The graph's links."""
        return LinkTable(self.value.get("links"))

    @cached_property
    def odd(self) -> dict[str, list[Any]]:
        """By the name of their list, items that are not what belongs there."""
        return {**self._odd, "links": self.links.odd} if self.links.odd else self._odd

    def bare_node(self, node: dict[str, Any]) -> dict[str, Any]:
        made = looks.without(node, looks.NODE)
        if "inputs" in made:
            self._sockets(made, "inputs", node.get("id"), self._input)
        if "outputs" in made:
            self._sockets(made, "outputs", node.get("id"), self._output)
        return made

    def _sockets(
        self, made: dict[str, Any], name: str, node: Any, bare: Callable[..., dict[str, Any]]
    ) -> None:
        """Replaces a list of sockets by the bare ones; none, null and an empty list are alike."""
        sockets = made[name]
        if sockets is None or sockets == []:
            del made[name]
        elif type(sockets) is list:
            made[name] = [
                bare(socket, node, at) if type(socket) is dict else socket
                for at, socket in enumerate(sockets)
            ]

    def _input(self, socket: dict[str, Any], node: Any, slot: int) -> dict[str, Any]:
        made = looks.without(socket, looks.SOCKET)
        link_id = made.pop("link", None)
        if link_id is not None:
            link = self.links.find(link_id)
            if link is not None and link.enters(node, slot):
                made["link"] = link.source
            else:
                made["link"] = self.links.resolved(link_id)
        return made

    def _output(
        self, socket: dict[str, Any], node: Any, slot: int, ids: str = "links"
    ) -> dict[str, Any]:
        """Its links are those that the inputs name, so they say nothing more where they agree."""
        made = looks.without(socket, looks.SOCKET)
        listed = made.pop(ids, None)
        if not self.links.covers(listed, node, slot):
            made[ids] = self._all_resolved(listed)
        return made

    def _all_resolved(self, ids: Any) -> Any:
        if type(ids) is not list:
            return ids
        return _sorted(self.links.resolved(link_id) for link_id in ids)

    @cached_property
    def loose_links(self) -> list[Link]:
        """Links that no input names: left over from what was removed, or at odds with it."""
        return [link for link in self.links.by_id.values() if not self._entered(link)]

    def _entered(self, link: Link) -> bool:
        """True where the input that the link ends at names it. Of nodes with one id the last is
        looked at; the others have the link in their bare form all the same."""
        item = self.find(link.target)
        if item is not None:
            socket = _at(item.value.get("inputs"), link.target_slot)
            return socket is not None and same(socket.get("link"), link.id)
        if self.is_border(link.target, "outputNode"):
            socket = _at(self.value.get("outputs"), link.target_slot)
            return socket is not None and same(socket.get("linkIds"), [link.id])
        return False

    def is_border(self, node: Any, name: str) -> bool:
        """True for the id by which links call the subgraph's own inputs (``inputNode``) or
        outputs (``outputNode``)."""
        return self.inside and node is not None and same(node, self._border_id(name))

    def _border_id(self, name: str) -> Any:
        border = self.value.get(name)
        return border.get("id") if type(border) is dict else None

    def bare_group(self, group: dict[str, Any]) -> dict[str, Any]:
        """The group without its looks."""
        return looks.without(group, looks.GROUP)

    @cached_property
    def rest(self) -> dict[str, Any]:
        """All that is neither looks nor nodes, groups, links or subgraphs; empty parts left out."""
        made = looks.without(self.value, looks.GRAPH)
        for name in ("nodes", "groups"):
            if made.get(name) is None or type(made[name]) is list:
                made.pop(name, None)
        if self.links.is_table or made.get("links") is None:
            made.pop("links", None)
        _strip(made, "extra", looks.EXTRA)
        if self.listed("subgraphs") is None or type(self.listed("subgraphs")) is list:
            _strip(made, "definitions", ("subgraphs",))
        if self.inside:
            _strip(made, "inputNode", looks.BORDER)
            _strip(made, "outputNode", looks.BORDER)
            for name in ("inputs", "outputs"):
                self._border_sockets(made, name)
        return made

    def _border_sockets(self, made: dict[str, Any], name: str) -> None:
        """A subgraph's own inputs are outputs to its nodes, and the other way round."""
        if name in made:
            bare = self._border_input if name == "inputs" else self._border_output
            node = self._border_id("inputNode" if name == "inputs" else "outputNode")
            self._sockets(made, name, node, bare)

    def _border_input(self, socket: dict[str, Any], node: Any, slot: int) -> dict[str, Any]:
        return self._output(socket, node, slot, "linkIds")

    def _border_output(self, socket: dict[str, Any], node: Any, slot: int) -> dict[str, Any]:
        made = looks.without(socket, looks.SOCKET)
        ids = made.pop("linkIds", None)
        if ids is None or ids == []:
            return made
        found = self.links.find(ids[0]) if type(ids) is list and len(ids) == 1 else None
        if found is not None and found.enters(node, slot):
            made["linkIds"] = found.source
        else:
            made["linkIds"] = {"links": self._all_resolved(ids)}
        return made

    def form(self) -> Any:
        return {
            "nodes": _by_key((key, self.bare_node(item.value)) for key, item in self.nodes.items()),
            "groups": _by_key(
                (key, self.bare_group(item.value)) for key, item in self.groups.items()
            ),
            "links": _sorted(link.ends for link in self.loose_links),
            "rest": self.rest,
            "odd": self.odd,
        }


def is_api_node(value: Any) -> bool:
    """True for a node of the API format."""
    return type(value) is dict and "class_type" in value


def is_ui_graph(value: Any) -> bool:
    """True for a graph of the editor's format."""
    return type(value) is dict and type(value.get("nodes")) is list


def is_api_graph(value: Any) -> bool:
    """True where at least one member is a node of the API format."""
    return type(value) is dict and any(map(is_api_node, value.values()))


def _at(sockets: Any, slot: Any) -> dict[str, Any] | None:
    """The socket at a slot, None where there is none."""
    if type(sockets) is not list or type(slot) is not int or not 0 <= slot < len(sockets):
        return None
    return sockets[slot] if type(sockets[slot]) is dict else None


def _id(value: dict[str, Any]) -> str:
    return json_text(value.get("id", MISSING))


def _group_id(group: dict[str, Any]) -> str:
    """Groups of older editors have no id, but a title."""
    return _id(group) if "id" in group else f"title {json_text(group.get('title', MISSING))}"


def _strip(made: dict[str, Any], name: str, keys: Iterable[str]) -> None:
    """Takes the keys out of a member; takes the member away where nothing is left of it."""
    if type(made.get(name)) is dict:
        made[name] = looks.without(made[name], keys)
        if not made[name]:
            del made[name]
    elif name in made and made[name] is None:
        del made[name]


def _by_key(items: Iterable[tuple[Key, Any]]) -> dict[str, list[Any]]:
    made: dict[str, list[Any]] = {}
    for key, value in items:
        made.setdefault(key.id, []).append(value)
    return made


def _sorted(values: Iterable[Any]) -> list[Any]:
    """In an order that depends on the values alone."""
    listed = list(values)
    if len(listed) > 1:
        listed.sort(key=lambda value: documents.canonical(value))
    return listed
