"""Finds the graphs in a document: its own, those of a wrapped prompt, and all their subgraphs.

Any JSON value is accepted. What is no graph is in the *shell*: the document with its graphs cut
out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from casstore.formats import API, OTHER, UI, WRAPPED
from casstore.workflow.graphs import ApiGraph, Graph, Key, Place, UiGraph, is_api_graph, is_ui_graph
from casstore.workflow.pointers import pointer
from casstore.workflow.words import name_text

_INSIDE = (
    ("prompt",),
    ("output",),
    ("workflow",),
    ("extra_pnginfo", "workflow"),
    ("extra_data", "extra_pnginfo", "workflow"),
)
"""Where a wrapped document holds graphs: as posted to ComfyUI, as exported by its editor, as
embedded in a picture."""


MAX_ITEMS = 50_000
"""Nodes, links and groups of a document that is read as graphs; one with more is compared as the
value it is. The largest of some 800 real workflows has 700."""


class Workflow(NamedTuple):
    """A document as graphs. ``format`` is one of `casstore.formats`: ``api`` and ``ui`` for one
    graph that is the document itself, ``wrapped`` for graphs inside it, ``json`` for none."""

    format: str
    graphs: list[Graph]
    """Each before its subgraphs, which follow at any depth."""
    shell: Any


def read(document: Any) -> Workflow:
    """The graphs of a document."""
    try:
        return _read(document, _Count())
    except _TooMany:
        return Workflow(OTHER, [], document)


class _TooMany(Exception):
    """The document has more than `MAX_ITEMS`."""


class _Count:
    """Counts what is about to be read. Raises `_TooMany` rather than go on."""

    def __init__(self) -> None:
        self._left = MAX_ITEMS

    def ui(self, value: dict[str, Any]) -> None:
        """Counts a graph in the editor's format."""
        lists = (value.get(name) for name in ("nodes", "links", "groups"))
        self.add(1 + sum(len(each) for each in lists if isinstance(each, (list, dict))))

    def add(self, number: int) -> None:
        """Counts so many."""
        self._left -= number
        if self._left < 0:
            raise _TooMany


def _read(document: Any, count: _Count) -> Workflow:
    made = _graph(document, Place((), "", ()), count)
    if made is not None:
        kind = UI if isinstance(made, UiGraph) else API
        return Workflow(kind, _with_subgraphs(_keyed([made]), count), {})
    found = []
    shell = document
    for steps in _INSIDE:
        value = _value_at(document, steps)
        made = _graph(value, Place((), pointer(steps), ()), count)
        if made is not None:
            found.append(made)
            shell = _cut(shell, steps)
    return Workflow(WRAPPED if found else OTHER, _with_subgraphs(_keyed(found), count), shell)


def _graph(value: Any, place: Place, count: _Count) -> Graph | None:
    if is_ui_graph(value):
        count.ui(value)
        return UiGraph(value, place)
    if is_api_graph(value):
        count.add(len(value))
        return ApiGraph(value, place)
    return None


def _keyed(graphs: list[Graph]) -> list[Graph]:
    """Graphs are each other's counterparts by format and order, wherever they stand: so a wrapped
    prompt is compared with the bare one."""
    counts: dict[str, int] = {}
    for graph in graphs:
        kind = UI if isinstance(graph, UiGraph) else API
        number = counts[kind] = counts.get(kind, -1) + 1
        graph.place = graph.place._replace(key=(Key(kind, number),))
    return graphs


def _with_subgraphs(graphs: list[Graph], count: _Count) -> list[Graph]:
    """The graphs and what they define; a loop, so that no depth is too deep."""
    made: list[Graph] = []
    waiting = graphs[::-1]
    while waiting:
        graph = waiting.pop()
        made.append(graph)
        if isinstance(graph, UiGraph):
            for item in graph.subgraphs.values():
                count.ui(item.value)
            waiting += [
                UiGraph(item.value, _place(graph.place, key, item.step, item.value), inside=True)
                for key, item in reversed(graph.subgraphs.items())
            ]
    return made


def _place(outer: Place, key: Key, at: Any, value: dict[str, Any]) -> Place:
    name = value.get("name") or value.get("id")
    return Place(
        (*outer.key, key),
        f"{outer.path}/definitions/subgraphs/{at}",
        (*outer.names, name_text(name) if name else "subgraph"),
    )


def _value_at(value: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        if type(value) is not dict:
            return None
        value = value.get(step)
    return value


def _cut(value: Any, steps: tuple[str, ...]) -> Any:
    """A copy of the objects on the way, without what is at its end."""
    copied = dict(value)
    if len(steps) == 1:
        del copied[steps[0]]
    else:
        copied[steps[0]] = _cut(value[steps[0]], steps[1:])
    return copied
