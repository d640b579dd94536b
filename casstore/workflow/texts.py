"""Lays a comparison out as lines for people, one thing on each; colours are put on elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from casstore.workflow import records
from casstore.workflow.changes import ValueChange
from casstore.workflow.exact import MISSING
from casstore.workflow.records import (
    Cosmetic,
    Diff,
    GroupChange,
    NodeChange,
    SubgraphChange,
    WireChange,
)
from casstore.workflow.summaries import ARROW, look_phrase
from casstore.workflow.words import counted, cut_text, mode_text, name_text, turn_texts, value_text

OLD, NEW, CHANGED, PLAIN, FAINT = "-", "+", "~", " ", "."
"""What a line tells: something of the first document, of the second, of both; a detail; looks."""

_MARKS = {records.ADDED: NEW, records.REMOVED: OLD, records.CHANGED: CHANGED}

_NAMES = 24
"""Columns that names are padded to, at most."""


class Line(NamedTuple):
    """One line. ``kind`` is `OLD`, `NEW`, `CHANGED`, `PLAIN` or `FAINT`."""

    kind: str
    text: str


class _Row(NamedTuple):
    """A named detail that went from one text to another."""

    name: str
    before: str
    after: str


def lines(diff: Diff, width: int, measure: Callable[[str], int] = len) -> Iterator[Line]:
    """The lines of a comparison, none for equal documents; they fit in ``width`` columns, of which
    ``measure`` tells how many a text takes."""
    for line in _lines(diff, width):
        yield line._replace(text=cut_text(line.text, width, measure))


def _lines(diff: Diff, width: int) -> Iterator[Line]:
    for subgraph in diff.subgraphs:
        yield from _subgraph(subgraph, width)
    for node in diff.nodes:
        yield from _node(node, width)
    for group in diff.groups:
        yield from _group(group, width)
    if diff.other:
        yield Line(CHANGED, "~ elsewhere in the document")
        yield from _rows(_values(diff.other, "", width), width)
    yield from _looks(diff.cosmetic, width)


def _node(change: NodeChange, width: int) -> Iterator[Line]:
    mark = _MARKS[change.change]
    title = "" if change.node.title in (MISSING, None, "") else change.node.title
    shown = f' "{name_text(title)}"' if title else ""
    yield Line(mark, f"{mark} {change.node.label}{shown}{_inside(change.node.graph)}")
    if change.change == records.REMOVED:
        return
    if change.change == records.ADDED:
        yield from _settings(change, width)
        return
    rows = []
    if change.retyped is not None:
        rows.append(_row("type", *change.retyped, width))
    if change.renamed is not None:
        rows.append(_row("title", *change.renamed, width))
    if change.mode is not None:
        rows.append(_Row("mode", *(mode_text(mode) for mode in change.mode)))
    rows += [_row(widget.label, widget.before, widget.after, width) for widget in change.widgets]
    rows += map(_wire, change.wires)
    rows += _values(change.other, change.node.path + "/", width)
    yield from _rows(rows, width)


def _settings(change: NodeChange, width: int) -> Iterator[Line]:
    """What a new node gets and is set to."""
    details = [(wire.input, f"from {_source(wire)}") for wire in change.wires]
    details += [(w.label, value_text(w.after, max(width - 8, 8))) for w in change.widgets]
    names = _padding(name for name, _ in details)
    for name, text in details:
        yield Line(PLAIN, f"    {name_text(name).ljust(names)}  {text}")


def _source(wire: WireChange) -> str:
    return "nothing" if wire.after is None else wire.after.label


def _group(change: GroupChange, width: int) -> Iterator[Line]:
    mark = _MARKS[change.change]
    yield Line(mark, f"{mark} group {value_text(change.title)}{_inside(change.graph)}")
    rows = [] if change.renamed is None else [_row("title", *change.renamed, width)]
    yield from _rows([*rows, *_values(change.other, change.path + "/", width)], width)


def _subgraph(change: SubgraphChange, width: int) -> Iterator[Line]:
    mark = _MARKS[change.change]
    count = f", {counted(change.nodes, 'node')}" if change.change != records.CHANGED else ""
    name = value_text(change.name)
    yield Line(mark, f"{mark} subgraph {name}{count}{_inside(change.graph)}")
    rows = [] if change.renamed is None else [_row("name", *change.renamed, width)]
    rows += map(_wire, change.wires)
    yield from _rows([*rows, *_values(change.other, change.path + "/", width)], width)


def _inside(graph: Sequence[str]) -> str:
    return f"  in {' / '.join(name_text(name) for name in graph)}" if graph else ""


def _row(name: str, before: Any, after: Any, width: int) -> _Row:
    return _Row(name, *turn_texts(before, after, max(width - 8, 8)))


def _wire(wire: WireChange) -> _Row:
    before, after = (
        "nothing" if source is None else source.label for source in (wire.before, wire.after)
    )
    if before == after and wire.before is not None and wire.after is not None:
        details = (value_text(source.detail, 20) for source in (wire.before, wire.after))
        before, after = (f"{before} ({detail})" for detail in details)
    return _Row(wire.input, before, after)


def _values(changes: Iterable[ValueChange], start: str, width: int) -> list[_Row]:
    return [
        _row(change.path.removeprefix(start) or "all of it", change.before, change.after, width)
        for change in changes
    ]


def _rows(rows: Sequence[_Row], width: int) -> Iterator[Line]:
    """Details, each on one line where it fits, else on three."""
    names = _padding(row.name for row in rows)
    for row in rows:
        name = name_text(row.name, max(width - 8, 8))
        line = f"    {name.ljust(names)}  {row.before} {ARROW} {row.after}"
        if len(line) <= width:
            yield Line(PLAIN, line)
        else:
            yield Line(PLAIN, f"    {name}")
            yield Line(OLD, f"      - {row.before}")
            yield Line(NEW, f"      + {row.after}")


def _padding(names: Iterable[str]) -> int:
    return max((len(name) for name in names if len(name) <= _NAMES), default=0)


def _looks(found: Sequence[Cosmetic], width: int) -> Iterator[Line]:
    """Looks in one line for each thing that happened, with the names of what it happened to."""
    groups: dict[tuple[str, str], list[str]] = {}
    for look in found:
        groups.setdefault((look.target, look.what), []).append(look.label)
    for (target, what), labels in groups.items():
        names = ", ".join(label for label in labels if label)
        phrase = look_phrase(target, what, len(labels))
        yield Line(FAINT, f". {phrase}{': ' + names if names else ''}")
