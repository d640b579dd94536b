"""Finds what differs in looks only (`casstore.workflow.looks`) between two graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from casstore.workflow import looks
from casstore.workflow.changes import ValueChange, changes
from casstore.workflow.exact import MISSING, same
from casstore.workflow.graphs import Item, Key, UiGraph
from casstore.workflow.labels import Labels
from casstore.workflow.linklooks import CommonLinks
from casstore.workflow.pointers import step
from casstore.workflow.records import Cosmetic
from casstore.workflow.sockets import keyed
from casstore.workflow.words import name_text

Found = Iterator[tuple[str, ValueChange]]
"""What happened, and the change."""

_INSIDE = ("definitions",)


def cosmetics(a: UiGraph, b: UiGraph, labels: Labels) -> Iterator[Cosmetic]:
    """The changes of looks of two graphs, subgraphs apart. Paths lead into the second document."""
    names = b.place.names
    target = "subgraph" if b.inside else "workflow"
    yield from _grouped(_definitions(a, b), target, names, labels, b, None)
    # what is defined inside is compared as graphs of its own, not again at every level
    if same(looks.without(a.value, _INSIDE), looks.without(b.value, _INSIDE)):
        return
    links = CommonLinks(a.links, b.links)
    for key, item in b.nodes.items():
        if key in a.nodes and not same(a.nodes[key].value, item.value):
            found = _node(a.nodes[key].value, item.value, b.path(item), links)
            yield from _grouped(found, "node", names, labels, b, item)
    for key, item in b.groups.items():
        if key in a.groups:
            path = f"{b.place.path}/groups/{item.step}"
            found = _members(a.groups[key].value, item.value, looks.GROUP, path)
            yield from _grouped(found, "group", names, labels, b, item)
    yield from _grouped(_graph(a, b, links), target, names, labels, b, None)


def _grouped(
    found: Iterable[tuple[str, ValueChange]],
    target: str,
    names: tuple[str, ...],
    labels: Labels,
    graph: UiGraph,
    item: Item | None,
) -> Iterator[Cosmetic]:
    """One record for each thing that happened."""
    kinds: dict[str, list[ValueChange]] = {}
    for what, change in found:
        kinds.setdefault(what, []).append(change)
    if not kinds:
        return
    if item is None:
        label = names[-1] if names else ""
    elif target == "node":
        label = labels.ref(graph, item).label
    else:
        label = name_text(item.value.get("title"))
    for what, changed in kinds.items():
        yield Cosmetic(what, target, names, label, tuple(changed))


def _node(a: dict[str, Any], b: dict[str, Any], path: str, links: CommonLinks) -> Found:
    yield from _members(a, b, looks.NODE, path)
    yield from _forms(a, b, ("inputs", "outputs"), path)
    yield from _sockets(a, b, "inputs", path, links)
    yield from _sockets(a, b, "outputs", path, links)


def _graph(a: UiGraph, b: UiGraph, links: CommonLinks) -> Found:
    path = b.place.path
    yield from _members(a.value, b.value, looks.GRAPH, path)
    yield from _members(a.value.get("extra"), b.value.get("extra"), looks.EXTRA, path + "/extra")
    yield from _forms(a.value, b.value, ("groups", "links", "extra"), path)
    yield from _order(a.nodes, b.nodes, path + "/nodes")
    yield from _order(a.groups, b.groups, path + "/groups")
    yield from links.table(a.value.get("links"), b.value.get("links"), path + "/links")
    if b.inside:
        for name in ("inputNode", "outputNode"):
            border = a.value.get(name), b.value.get(name)
            yield from _members(*border, looks.BORDER, path + step(name))
        yield from _forms(a.value, b.value, ("inputs", "outputs"), path)
        yield from _sockets(a.value, b.value, "inputs", path, links)
        yield from _sockets(a.value, b.value, "outputs", path, links)


def _definitions(a: UiGraph, b: UiGraph) -> Found:
    path = f"{b.place.path}/definitions"
    yield from _forms(a.value, b.value, _INSIDE, b.place.path)
    old, new = (_object(graph.value.get("definitions")) for graph in (a, b))
    yield from _forms(old, new, ("subgraphs",), path)
    yield from _order(a.subgraphs, b.subgraphs, path + "/subgraphs")


def _members(a: Any, b: Any, kinds: dict[str, str], path: str) -> Found:
    """The changes of the keys in ``kinds``, which tells what each is called."""
    a, b = _object(a), _object(b)
    for key, what in kinds.items():
        old, new = a.get(key, MISSING), b.get(key, MISSING)
        if not same(old, new):
            yield _what(key, what, old, new), ValueChange(path + step(key), old, new)


def _what(key: str, what: str, old: Any, new: Any) -> str:
    """What happened, more exactly where numbers tell."""
    numbers, now = _numbers(old), _numbers(new)
    if numbers is None or now is None:
        return what
    if numbers == now:
        return looks.OTHER
    return "resized" if key == "bounding" and numbers[:2] == now[:2] else what


def _numbers(value: Any) -> list[Any] | None:
    """The coordinates of a place or size, which may be an object with the keys "0" and "1"."""
    if type(value) is dict:
        value = [value.get(str(at)) for at in range(len(value))]
    if type(value) is not list or not all(type(item) in (int, float) for item in value):
        return None
    return value


def _sockets(
    a: dict[str, Any], b: dict[str, Any], name: str, path: str, links: CommonLinks
) -> Found:
    """How the inputs or outputs that both have are drawn, and in which form and order their links
    are named."""
    if type(a.get(name)) is not list or type(b.get(name)) is not list:
        return
    old, new = keyed(a[name]), keyed(b[name])
    for key, socket in new.items():
        if key not in old or type(socket.value) is not dict:
            continue
        before, after = old[key].value, socket.value
        if before is after:
            continue
        at = f"{path}/{name}/{socket.at}"
        for part in [*after, *(part for part in before if part not in after)]:
            values = before.get(part, MISSING), after.get(part, MISSING)
            if part in looks.SOCKET:
                for change in changes(*values, at + step(part)):
                    yield "redrawn", change
            elif part in ("link", "links", "linkIds") and links.renamed(*values):
                yield looks.OTHER, ValueChange(at + step(part), *values)


def _forms(a: dict[str, Any], b: dict[str, Any], names: Iterable[str], path: str) -> Found:
    """Members that hold nothing, each in its own way."""
    for name in names:
        old, new = a.get(name, MISSING), b.get(name, MISSING)
        if _is_empty(old) and _is_empty(new) and not same(old, new):
            yield looks.OTHER, ValueChange(path + step(name), old, new)


def _is_empty(value: Any) -> bool:
    return value is MISSING or value is None or (type(value) in (list, dict) and not value)


def _order(a: dict[Key, Item], b: dict[Key, Item], path: str) -> Found:
    """Whether what both have stands in another order; told by ids."""
    old = [key for key in a if key in b]
    new = [key for key in b if key in a]
    if old != new:
        ids = ([items[key].value.get("id") for key in keys] for items, keys in ((a, old), (b, new)))
        yield looks.LISTS, ValueChange(path, *ids)


def _object(value: Any) -> dict[str, Any]:
    return value if type(value) is dict else {}
