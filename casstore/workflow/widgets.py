"""Compares what two nodes are set to, value by value, under names where the documents give them.

The editor's format lists a node's values without names. They are taken, in this order, from
``widgets_values_named``; from a subgraph instance's ``proxyWidgets``; from the inputs that stand
for widgets, where they account for every value; and from another node of the same type. A value
behind a whole number that says what becomes of it after a run (``"randomize"``) has no input.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from casstore.workflow.exact import MISSING, Missing, same
from casstore.workflow.graphs import Graph
from casstore.workflow.records import WidgetChange

CONTROL = "control_after_generate"
_CONTROLS = ("fixed", "increment", "decrement", "randomize")

MAX_VALUES = 10_000
"""Values of a node that are told apart; those of one with more are one value."""

Names = list[str]


def own_names(node: dict[str, Any]) -> Names | None:
    """The names of a node's values as the node itself tells them; None where it does not."""
    values = node.get("widgets_values")
    if type(values) is not list or not values:
        return None
    return _named(node, values) or _proxied(node, values) or _from_inputs(node, values)


def _named(node: dict[str, Any], values: list[Any]) -> Names | None:
    named = node.get("widgets_values_named")
    if type(named) is not dict or len(named) != len(values):
        return None
    # the two may be a little out of step (51 of 2,843 nodes of the templates), but most values
    # elsewhere would mean that the names are in another order
    agreed = sum(same(a, b) for a, b in zip(named.values(), values, strict=True))
    return list(named) if 2 * agreed >= len(values) or len(values) == 1 else None


def _proxied(node: dict[str, Any], values: list[Any]) -> Names | None:
    properties = node.get("properties")
    proxies = properties.get("proxyWidgets") if type(properties) is dict else None
    if type(proxies) is not list or len(proxies) != len(values):
        return None
    if not all(type(p) is list and len(p) == 2 and type(p[1]) is str for p in proxies):
        return None
    return [proxy[1] for proxy in proxies]


def _from_inputs(node: dict[str, Any], values: list[Any]) -> Names | None:
    inputs = node.get("inputs")
    names = [name for socket in inputs for name in _widget(socket)] if type(inputs) is list else []
    spare = len(values) - len(names)
    if not names or spare < 0:
        return None
    made: Names = []
    waiting = iter(names)
    for at, value in enumerate(values):
        if spare and made and _is_control(value) and type(values[at - 1]) is int:
            made.append(CONTROL)
            spare -= 1
        else:
            made.append(next(waiting, ""))
    return None if spare else made


def _widget(socket: Any) -> Iterator[str]:
    widget = socket.get("widget") if type(socket) is dict else None
    name = widget.get("name") if type(widget) is dict else None
    if type(name) is str:
        yield name


def _is_control(value: Any) -> bool:
    return type(value) is str and value in _CONTROLS


class TypeNames:
    """Names of the values of nodes that do not tell them, from nodes of the same type that do."""

    def __init__(self, graphs: Iterable[Graph]) -> None:
        self._graphs = list(graphs)
        self._known: dict[tuple[str, int], Names] | None = None

    def names(self, node: dict[str, Any]) -> Names | None:
        """The names of a node's values, its own or its type's."""
        own = own_names(node)
        values, kind = node.get("widgets_values"), node.get("type")
        if own is not None or type(values) is not list or not values or type(kind) is not str:
            return own
        if self._known is None:
            self._known = {}
            # once, and only where a change needs a name
            for item in (item for graph in self._graphs for item in graph.nodes.values()):
                found = own_names(item.value)
                if found is not None and type(item.value.get("type")) is str:
                    self._known.setdefault((item.value["type"], len(found)), found)
        return self._known.get((kind, len(values)))


def widget_changes(
    before: Any, after: Any, names_before: Names | None, names_after: Names | None
) -> Iterator[WidgetChange]:
    """The changes between two values of ``widgets_values``: lists, objects, or anything else.

    There is at least one exactly where they differ.
    """
    if same(before, after):
        return
    kinds = {type(before), type(after)}
    if any(type(side) in (list, dict) and len(side) > MAX_VALUES for side in (before, after)):
        kinds = set()
    found: list[WidgetChange] = []
    if kinds and kinds <= {dict, Missing}:
        found += _by_key(before, after)
    elif kinds and kinds <= {list, Missing}:
        old = _labelled(before, names_before, names_after, after)
        new = _labelled(after, names_after, names_before, before)
        found += _by_name(old, new) if _orderly(old, new) else _by_position(old, new)
    # else one of them is something else, or is empty where the other is missing
    yield from found or [WidgetChange(None, None, before, after)]


_Value = tuple[str | None, Any]


def _labelled(
    values: Any, own: Names | None, others: Names | None, other_values: Any
) -> list[_Value]:
    """Each value with its name; where a side has no names, the other side's for as many values."""
    if values is MISSING:
        return []
    names: list[str] | list[None] | None = own
    if names is None and type(other_values) is list and len(other_values) == len(values):
        names = others
    return list(zip(names or [None] * len(values), values, strict=True))


def _by_key(before: Any, after: Any) -> Iterator[WidgetChange]:
    before = {} if before is MISSING else before
    after = {} if after is MISSING else after
    for name in [*after, *(name for name in before if name not in after)]:
        a, b = before.get(name, MISSING), after.get(name, MISSING)
        if not same(a, b):
            yield WidgetChange(name, None, a, b)


def _orderly(old: list[_Value], new: list[_Value]) -> bool:
    """True where comparing by name tells more than by position, and all: every value has a name of
    its own, those that both sides have are in the same order, and positions mostly disagree."""
    names_old, names_new = [name for name, _ in old], [name for name, _ in new]
    if len(old) == len(new):
        # one editor writes "fixed" for what others call "control_after_generate"
        agreed = sum(a == b for a, b in zip(names_old, names_new, strict=True))
        if 2 * agreed >= len(old):
            return False
    for names in (names_old, names_new):
        if None in names or len(set(names)) != len(names):
            return False
    common = set(names_old) & set(names_new)
    return [n for n in names_old if n in common] == [n for n in names_new if n in common]


def _by_name(old: list[_Value], new: list[_Value]) -> Iterator[WidgetChange]:
    places = {name: at for at, (name, _) in enumerate(old)}
    for at, (name, value) in enumerate(new):
        before = old[places.pop(name)][1] if name in places else MISSING
        if not same(before, value):
            yield WidgetChange(name, at, before, value)
    for name, at in places.items():
        yield WidgetChange(name, at, old[at][1], MISSING)


def _by_position(old: list[_Value], new: list[_Value]) -> Iterator[WidgetChange]:
    for at in range(max(len(old), len(new))):
        name_old, a = old[at] if at < len(old) else (None, MISSING)
        name_new, b = new[at] if at < len(new) else (None, MISSING)
        if not same(a, b):
            name = name_new if name_new == name_old or b is not MISSING else name_old
            yield WidgetChange(name, at, a, b)
