"""Compares the inputs and outputs of nodes and subgraphs: which link goes where, and the rest."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from casstore.workflow.changes import ValueChange, changes
from casstore.workflow.exact import MISSING, Missing, exact_token, same
from casstore.workflow.graphs import UiGraph
from casstore.workflow.labels import Side
from casstore.workflow.pointers import step
from casstore.workflow.records import Source, WireChange
from casstore.workflow.words import name_text

INPUTS = {"inputs": "link"}
"""Of a bare node, the sockets that get their value by a link, and their key for it."""

OUTPUTS = {"outputs": "linkIds"}
"""The same of a subgraph, seen from inside."""


class _Socket(NamedTuple):
    at: int
    value: Any


class Sockets(NamedTuple):
    """A node, or a subgraph's definition, whose ``inputs`` and ``outputs`` are compared."""

    side: Side
    raw: dict[str, Any]
    bare: dict[str, Any]
    """Its bare form (`casstore.workflow.graphs`), whose lists run parallel."""


def is_link(value: Any) -> bool:
    """True where an input of the API format is a link: ``[node id, output]``, as ComfyUI tells."""
    return (
        type(value) is list
        and len(value) == 2
        and type(value[0]) is str
        and type(value[1]) in (int, float)
    )


def wires_of(side: Side, inputs: Any) -> Iterator[tuple[str, Source]]:
    """The linked ones of a bare node's inputs, by name."""
    if type(inputs) is dict:
        for name, value in inputs.items():
            if is_link(value):
                yield name, source(side, value)
    elif type(inputs) is list:
        for at, socket in enumerate(inputs):
            if type(socket) is dict and "link" in socket:
                yield _name(socket, at), source(side, socket["link"])


def source(side: Side, link: Any) -> Source:
    """The record of a bare link."""
    if type(link) is list:
        node, slot, *tail = link
        return Source(node, slot, _label(side, node, slot), tail[0] if len(tail) == 1 else tail)
    if "links" in link:
        return Source(MISSING, MISSING, "links at odds with each other", link["links"])
    if "dangling" in link:
        number = link["dangling"]
        return Source(MISSING, MISSING, f"link {name_text(number)}, which is missing", number)
    node, slot = link["link"][:2]
    return Source(node, slot, f"{_label(side, node, slot)} by a link to elsewhere", link["link"])


def _label(side: Side, node: Any, slot: Any) -> str:
    """``CheckpointLoaderSimple #4 CLIP``; without names ``CheckpointLoaderSimple #4.1``."""
    outputs: Any = None
    what = side.labels.named(side.graph, node)
    if isinstance(side.graph, UiGraph):
        if side.graph.is_border(node, "inputNode"):
            what, outputs = "subgraph input", side.graph.value.get("inputs")
        else:
            item = side.graph.find(node)
            outputs = item.value.get("outputs") if item is not None else None
    if type(outputs) is list and type(slot) is int and 0 <= slot < len(outputs):
        socket = outputs[slot]
        name = socket.get("name") if type(socket) is dict else None
        if type(name) is str and name:
            return f"{what} {name_text(name)}"
    return f"{what}.{name_text(slot)}"


def _name(socket: Any, at: int) -> str:
    name = socket.get("name") if type(socket) is dict else None
    return name if type(name) is str and name else f"input {at}"


def api_wires(before: Side, a: Any, after: Side, b: Any) -> Iterator[WireChange]:
    """The links that differ between two ``inputs`` of the API format."""
    old, new = (
        {k: v for k, v in inputs.items() if is_link(v)} if type(inputs) is dict else {}
        for inputs in (a, b)
    )
    for name in [*new, *(name for name in old if name not in new)]:
        if not same(old.get(name), new.get(name)):
            yield WireChange(
                name,
                source(before, old[name]) if name in old else None,
                source(after, new[name]) if name in new else None,
            )


def sockets_changes(
    before: Sockets, after: Sockets, path: str, keys: dict[str, str]
) -> tuple[list[WireChange], list[ValueChange]]:
    """The differences of ``inputs`` and ``outputs`` of two nodes, or of two subgraphs; ``keys`` is
    `INPUTS` or `OUTPUTS`."""
    wires: list[WireChange] = []
    other: list[ValueChange] = []
    for name in ("inputs", "outputs"):
        old, new = before.bare.get(name, MISSING), after.bare.get(name, MISSING)
        if same(old, new):
            continue
        if not {type(old), type(new)} <= {list, Missing}:
            other += changes(old, new, path + step(name))
            continue
        made = _lists(before, after, name, path + step(name), keys.get(name))
        wires += made[0]
        other += made[1]
    return wires, other


def _lists(
    before: Sockets, after: Sockets, name: str, path: str, link: str | None
) -> tuple[list[WireChange], list[ValueChange]]:
    wires: list[WireChange] = []
    other: list[ValueChange] = []
    old, new = keyed(before.bare.get(name, [])), keyed(after.bare.get(name, []))
    for key in [*new, *(key for key in old if key not in new)]:
        a, b = old.get(key), new.get(key)
        at = b or a
        assert at is not None
        wire = link and _wire(
            before.side, _member(a, link), after.side, _member(b, link), _name(*at[::-1])
        )
        if wire:
            wires.append(wire)
            if a is None or b is None:  # it came or went with its link
                continue
        where = f"{path}/{at.at}"
        for ids in ("links", "linkIds"):
            if ids != link and a is not None and b is not None:
                other += _numbers(before.raw[name][a.at], a, after.raw[name][b.at], b, ids, where)
        other += changes(_rest(a, link), _rest(b, link), where)
    common = [key for key in old if key in new]
    if common != [key for key in new if key in old]:
        other.append(ValueChange(path, before.raw[name], after.raw[name]))
    return wires, other


def _numbers(
    raw_old: Any, a: _Socket, raw_new: Any, b: _Socket, ids: str, path: str
) -> Iterator[ValueChange]:
    """The change of a list of links that is at odds with the links themselves, on either side."""
    bare = _member(a, ids), _member(b, ids)
    if not same(*bare):
        numbers = raw_old.get(ids, MISSING), raw_new.get(ids, MISSING)
        # where the numbers are equal, what they stand for is not
        yield ValueChange(path + step(ids), *(bare if same(*numbers) else numbers))


def keyed(sockets: list[Any]) -> dict[Hashable, _Socket]:
    """Sockets by name and how-many-eth of it."""
    made: dict[Hashable, _Socket] = {}
    counts: dict[Hashable, int] = {}
    for at, value in enumerate(sockets):
        name = exact_token(value.get("name") if type(value) is dict else value)
        count = counts[name] = counts.get(name, -1) + 1
        made[name, type(value) is dict, count] = _Socket(at, value)
    return made


def _member(socket: _Socket | None, key: str) -> Any:
    if socket is None or type(socket.value) is not dict:
        return MISSING
    return socket.value.get(key, MISSING)


def _rest(socket: _Socket | None, link: str | None) -> Any:
    """All of a socket but its links, whose changes are told apart."""
    if socket is None:
        return MISSING
    if type(socket.value) is not dict:
        return socket.value
    known = {"links", "linkIds"} if link is None else {"links", "linkIds", link}
    return {name: value for name, value in socket.value.items() if name not in known}


def _wire(before: Side, old: Any, after: Side, new: Any, name: str) -> WireChange | None:
    if same(old, new):
        return None
    return WireChange(
        name,
        None if old is MISSING else source(before, old),
        None if new is MISSING else source(after, new),
    )
