"""Says in a few words what a comparison found: ``KSampler #3: steps 20 → 30; 1 node moved``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from casstore.workflow import looks, records
from casstore.workflow.records import Diff, NodeChange, Turn
from casstore.workflow.words import (
    counted,
    cut_text,
    mode_text,
    name_text,
    turn_texts,
)

ARROW = "→"

_VALUE_WIDTHS = (40, 24, 14)
"""Columns for a value, the widest that fits being used."""

_PLAIN = (
    looks.ORDER,
    looks.LISTS,
    looks.REROUTES,
    looks.RENUMBERED,
    looks.COUNTERS,
    looks.EDITOR,
    looks.OTHER,
)
"""Looks that nobody sees on the canvas: told where there is nothing else to tell."""


def summary(diff: Diff, width: int | None = None, measure: Callable[[str], int] = len) -> str:
    """What differs, on one line of at most ``width`` columns (None: as many as it takes).

    Never empty: ``no changes`` for equal documents. ``measure`` tells how many columns a text
    takes. The text may hold any characters of names in the documents.
    """
    if width is None:
        return "; ".join(_phrases(diff, _VALUE_WIDTHS[0]))
    changed = len(diff.nodes) + len(diff.groups) + len(diff.subgraphs)
    number = changed + len(list(_rest(diff)))
    phrases: list[str] = []
    for value_width in _VALUE_WIDTHS:
        # no phrase is shorter than two columns and its semicolon
        phrases = list(islice(_phrases(diff, value_width), width // 4 + 1))
        line = "; ".join(phrases)
        if len(phrases) == number and measure(line) <= width:
            return line
    return _shortened(diff, phrases, number, width, measure)


def _shortened(
    diff: Diff, phrases: list[str], number: int, width: int, measure: Callable[[str], int]
) -> str:
    """As many phrases as fit and the ``number`` of the others; else counts alone."""
    for kept in range(min(len(phrases), number - 1), 0, -1):
        line = f"{'; '.join(phrases[:kept])}; {number - kept} more"
        if measure(line) <= width:
            return line
    line = "; ".join(summary_counts(diff)) if number > 1 else phrases[0]
    return cut_text(line, width, measure)


def summary_counts(diff: Diff) -> list[str]:
    """How many things of each kind differ: ``2 nodes changed``, ``1 node moved``."""
    made = []
    for noun, found in (
        ("node", diff.nodes),
        ("group", diff.groups),
        ("subgraph", diff.subgraphs),
    ):
        for change in (records.CHANGED, records.ADDED, records.REMOVED):
            number = sum(each.change == change for each in found)
            if number:
                made.append(f"{counted(number, noun)} {change}")
    return [*made, *_rest(diff)]


def _phrases(diff: Diff, width: int) -> Iterator[str]:
    # what has only values without a name of their own comes after what can be told
    plain = [node for node in diff.nodes if _says_little(node)]
    for node in (node for node in diff.nodes if not _says_little(node)):
        yield _node(node, width)
    for node in plain:
        yield _node(node, width)
    for group in diff.groups:
        name = f"group {name_text(group.title, width) if group.title else 'without title'}"
        yield _named(name, group.change, group.renamed, len(group.other), width)
    for subgraph in diff.subgraphs:
        name = f"subgraph {name_text(subgraph.name, width)}"
        others = len(subgraph.wires) + len(subgraph.other)
        yield _named(name, subgraph.change, subgraph.renamed, others, width)
    yield from _rest(diff)


def _rest(diff: Diff) -> Iterator[str]:
    if diff.formats[0] != diff.formats[1]:
        yield f"format {diff.formats[0]} {ARROW} {diff.formats[1]}"
    if diff.other:
        yield counted(len(diff.other), "other value")
    seen = [look for look in diff.cosmetic if look.what not in _PLAIN]
    yield from look_counts(seen or ([] if not diff.same_graph else diff.cosmetic))
    if diff.empty:
        yield "no changes"


def look_counts(found: Any) -> Iterator[str]:
    """``2 nodes moved``, ``view moved``."""
    numbers: dict[tuple[str, str], int] = {}
    for look in found:
        key = (look.target, look.what)
        numbers[key] = numbers.get(key, 0) + 1
    for (target, what), number in numbers.items():
        yield look_phrase(target, what, number)


def look_phrase(target: str, what: str, number: int) -> str:
    """``2 nodes moved``; of a graph itself only what happened."""
    return f"{counted(number, target)} {what}" if target in ("node", "group") else what


def _says_little(change: NodeChange) -> bool:
    told = (change.retyped, change.renamed, change.mode, change.widgets, change.wires)
    return change.change == records.CHANGED and not any(told)


def _node(change: NodeChange, width: int) -> str:
    label = change.node.label
    if change.node.graph:
        label += f" in {name_text(change.node.graph[-1], min(width, 24))}"
    if change.change != records.CHANGED:
        return f"{change.change} {label}"
    return f"{label}: {', '.join(node_parts(change, width))}"


def node_parts(change: NodeChange, width: int) -> Iterator[str]:
    """What is different about a changed node, each in a few words."""
    if change.retyped is not None:
        yield f"type {_turn(change.retyped, width)}"
    if change.renamed is not None:
        yield f"title {_turn(change.renamed, width)}"
    if change.mode is not None:
        yield mode_text(change.mode.after)
    for widget in change.widgets:
        turn = Turn(widget.before, widget.after)
        yield f"{name_text(widget.label, width)} {_turn(turn, width)}"
    for wire in change.wires:
        name = name_text(wire.input, width)
        yield f"{name} unlinked" if wire.after is None else f"{name} from {wire.after.label}"
    if change.other:
        yield counted(len(change.other), "other value")


def _named(name: str, change: str, renamed: Turn | None, others: int, width: int) -> str:
    if change != records.CHANGED:
        return f"{change} {name}"
    parts = [f"was {name_text(renamed.before, width)}"] if renamed is not None else []
    if others:
        parts.append(counted(others, "change"))
    return f"{name}: {', '.join(parts)}"


def _turn(turn: Turn, width: int) -> str:
    before, after = turn_texts(turn.before, turn.after, width)
    return f"{before} {ARROW} {after}"


def statistics(diff: Diff) -> dict[str, int]:
    """How much differs: nodes, values and links of nodes, and the number of all else."""
    made = {
        f"nodes_{change}": sum(node.change == change for node in diff.nodes)
        for change in (records.CHANGED, records.ADDED, records.REMOVED)
    }
    changed = [node for node in diff.nodes if node.change == records.CHANGED]
    return {
        **made,
        "values": sum(len(node.widgets) for node in changed),
        "links": sum(len(node.wires) for node in changed),
        "groups": len(diff.groups),
        "subgraphs": len(diff.subgraphs),
        "other": len(diff.other) + sum(len(node.other) for node in changed),
        "cosmetic": len(diff.cosmetic),
    }
