"""Compares two nodes of one format: type, title, mode, values, links, and all else by path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from casstore.workflow import records
from casstore.workflow.changes import ValueChange, changes
from casstore.workflow.exact import MISSING, Missing, same
from casstore.workflow.graphs import ApiGraph, Item
from casstore.workflow.labels import Side, title
from casstore.workflow.pointers import step
from casstore.workflow.records import NodeChange, Turn, WidgetChange, WireChange
from casstore.workflow.sockets import INPUTS, Sockets, api_wires, is_link, sockets_changes, wires_of
from casstore.workflow.widgets import widget_changes

VALUES, NAMED = "widgets_values", "widgets_values_named"

_UI_KEYS = frozenset(("id", "type", "title", "mode", "inputs", "outputs", VALUES, NAMED))
_API_KEYS = frozenset(("class_type", "_meta", "inputs"))


def compare(before: Side, old: Item, after: Side, new: Item) -> NodeChange | None:
    """The change of one node, None where nothing but looks differs."""
    a, b = before.graph.bare_node(old.value), after.graph.bare_node(new.value)
    if same(a, b):
        return None
    nothing = NodeChange(records.CHANGED, after.labels.ref(after.graph, new))
    if isinstance(after.graph, ApiGraph):
        made = _api_change(before, a, after, b, nothing)
    else:
        sockets = Sockets(before, old.value, a), Sockets(after, new.value, b)
        made = _ui_change(*sockets, nothing)
    if made == nothing:
        # a difference that no field is made for, such as null for no value
        made = made._replace(other=tuple(changes(a, b, made.node.path)))
    return made


def alone(change: str, side: Side, item: Item) -> NodeChange:
    """The change of a node that came or went, with its values and links."""
    bare = side.graph.bare_node(item.value)
    is_new = change == records.ADDED
    widgets = [w for w in _compare_values(side, {}, side, bare) if w.after not in ([], {})]
    wires = [WireChange(name, None, source) for name, source in wires_of(side, bare.get("inputs"))]
    if not is_new:
        widgets = [widget._replace(before=widget.after, after=MISSING) for widget in widgets]
        wires = [WireChange(wire.input, wire.after, None) for wire in wires]
    return NodeChange(
        change, side.labels.ref(side.graph, item), widgets=tuple(widgets), wires=tuple(wires)
    )


def _ui_change(before: Sockets, after: Sockets, made: NodeChange) -> NodeChange:
    path = made.node.path
    a, b = before.bare, after.bare
    widgets = tuple(_compare_values(before.side, a, after.side, b))
    wires, other = sockets_changes(before, after, path, INPUTS)
    other += _mirror(a.get(NAMED, MISSING), b.get(NAMED, MISSING), widgets, path + step(NAMED))
    other += _rest(a, b, _UI_KEYS, path)
    return made._replace(
        retyped=_turn(a.get("type", MISSING), b.get("type", MISSING)),
        renamed=_turn(title(a), title(b)),
        mode=_turn(a.get("mode", MISSING), b.get("mode", MISSING)),
        widgets=widgets,
        wires=tuple(wires),
        other=tuple(other),
    )


def _api_change(
    before: Side, a: dict[str, Any], after: Side, b: dict[str, Any], made: NodeChange
) -> NodeChange:
    path = made.node.path
    other = list(_rest(a, b, _API_KEYS, path))
    other += _meta(a.get("_meta", MISSING), b.get("_meta", MISSING), path + "/_meta")
    old, new = a.get("inputs", MISSING), b.get("inputs", MISSING)
    if type(old) is not dict or type(new) is not dict:
        other += changes(old, new, path + "/inputs")
    return made._replace(
        retyped=_turn(a["class_type"], b["class_type"]),
        renamed=_turn(title(a), title(b)),
        widgets=tuple(_compare_values(before, a, after, b)),
        wires=tuple(api_wires(before, old, after, new)),
        other=tuple(other),
    )


def _turn(before: Any, after: Any) -> Turn | None:
    return None if same(before, after) else Turn(before, after)


def _compare_values(
    before: Side, a: dict[str, Any], after: Side, b: dict[str, Any]
) -> Iterator[WidgetChange]:
    """The changes of what two bare nodes are set to; the first may be empty."""
    if isinstance(after.graph, ApiGraph):
        yield from widget_changes(_settings(a), _settings(b), None, None)
        return
    old, new = a.get(VALUES, MISSING), b.get(VALUES, MISSING)
    if not same(old, new):
        yield from widget_changes(old, new, before.types.names(a), after.types.names(b))


def _settings(node: dict[str, Any]) -> Any:
    """The inputs of an API node that are values and not links."""
    inputs = node.get("inputs")
    if type(inputs) is not dict:
        return {}
    return {name: value for name, value in inputs.items() if not is_link(value)}


def _mirror(a: Any, b: Any, widgets: tuple[WidgetChange, ...], path: str) -> Iterator[ValueChange]:
    """The changes of the named values, but for what the values themselves tell already."""
    if type(a) is not dict or type(b) is not dict:
        yield from changes(a, b, path)
        return
    told = {widget.name: widget for widget in widgets}
    for name, old, new in _members(a, b):
        known = told.get(name)
        if known is None or not (same(known.before, old) and same(known.after, new)):
            yield from changes(old, new, path + step(name))


def _meta(a: Any, b: Any, path: str) -> Iterator[ValueChange]:
    """The changes of ``_meta`` but for the title in it."""
    if not {type(a), type(b)} <= {dict, Missing}:
        yield from changes(a, b, path)
    elif not same(a, b):
        yield from _rest(
            {} if a is MISSING else a, {} if b is MISSING else b, frozenset(("title",)), path
        )
        if {} in (a, b) and MISSING in (a, b):
            yield ValueChange(path, a, b)


def _rest(
    a: dict[str, Any], b: dict[str, Any], known: frozenset[str], path: str
) -> Iterator[ValueChange]:
    """The changes of all members but the known ones."""
    for key, old, new in _members(a, b):
        if key not in known:
            yield from changes(old, new, path + step(key))


def _members(a: dict[str, Any], b: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Every key of either object with both its values."""
    for key in [*b, *(key for key in a if key not in b)]:
        yield key, a.get(key, MISSING), b.get(key, MISSING)
