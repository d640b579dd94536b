"""Edits JSON text in place: one value more or less, every other byte as it was.

People keep settings files by hand, in an order and an indentation of their own. So a value is
inserted into the text, or cut out of it, instead of writing the whole anew. Cutting out what was
inserted gives the text as it was.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

Path = tuple["str | int", ...]
"""Keys and indexes from the root to a value."""

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class Span:
    """Where a value stands in the text. ``children`` of an object or list: the key or index, the
    start of the entry (that of its key in an object), and the span of the value."""

    __slots__ = ("children", "end", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.end = start
        self.children: list[tuple[str | int, int, Span]] = []


def spans(text: str) -> Span:
    """The spans of a text that ``json.loads`` accepts. Of duplicate keys the last counts."""
    return _span(text, _skip(text, 0))


def find(root: Span, path: Path) -> Span | None:
    """The span of the value at a path; None where there is none."""
    for step in path:
        matches = [child for key, _, child in root.children if key == step]
        if not matches:
            return None
        root = matches[-1]
    return root


def with_member(text: str, path: Path, key: str, value: Any) -> str:
    """The text with a new last member in the object at ``path``."""
    return _with_entry(text, path, value, f"{json.dumps(key)}: ")


def with_item(text: str, path: Path, value: Any) -> str:
    """The text with a new last item in the list at ``path``."""
    return _with_entry(text, path, value, "")


def without(text: str, path: Path) -> str:
    """The text without the entry at ``path``, and without the comma that held it in place."""
    parent = find(spans(text), path[:-1])
    if parent is None:
        raise KeyError(path)
    entries = parent.children
    index = max(i for i, entry in enumerate(entries) if entry[0] == path[-1])
    if index > 0:
        start, end = entries[index - 1][2].end, entries[index][2].end
    elif len(entries) > 1:
        start, end = entries[0][1], entries[1][1]
    else:
        start, end = parent.start + 1, parent.end - 1
    return text[:start] + text[end:]


def _with_entry(text: str, path: Path, value: Any, label: str) -> str:
    parent = find(spans(text), path)
    if parent is None:
        raise KeyError(path)
    newline = "\r\n" if "\r\n" in text else "\n"
    flat = "\n" not in text.strip()
    if parent.children:
        first, last = parent.children[0][1], parent.children[-1][2]
        gap = text[parent.start + 1 : first]
        inside = gap.rpartition("\n")[2] if "\n" in gap else None
        between = "," + gap if inside is not None or gap else ", "
        if inside is None:
            return text[: last.end] + between + label + json.dumps(value) + text[last.end :]
        made = _rendered(value, inside, _unit(text), newline)
        return text[: last.end] + between + label + made + text[last.end :]
    if flat and text.strip() != "{}":
        made = label + json.dumps(value)
    else:
        outside = _indent_of(text, parent.start)
        inside = outside + _unit(text)
        made = newline + inside + label + _rendered(value, inside, _unit(text), newline)
        made += newline + outside
    return text[: parent.start + 1] + made + text[parent.end - 1 :]


def _rendered(value: Any, indent: str, unit: str, newline: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return (newline + indent).join(lines)


def _indent_of(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of indentation as the text has it: that of its first indented line."""
    for line in text.splitlines():
        body = line.lstrip(" \t")
        if body and body != line:
            return line[: len(line) - len(body)]
    return "  "


def _span(text: str, start: int) -> Span:
    span = Span(start)
    opening = text[start]
    if opening == '"':
        span.end = _match(_STRING, text, start)
    elif opening in "{[":
        _fill(text, span, opening == "{")
    else:
        span.end = _match(_SCALAR, text, start)
    return span


def _fill(text: str, span: Span, is_object: bool) -> None:
    at = _skip(text, span.start + 1)
    while text[at] not in "}]":
        start = at
        key: str | int = len(span.children)
        if is_object:
            end = _match(_STRING, text, at)
            key = json.loads(text[at:end], strict=False)
            at = _skip(text, _skip(text, end) + 1)
        child = _span(text, at)
        span.children.append((key, start, child))
        at = _skip(text, child.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    span.end = at + 1


def _skip(text: str, at: int) -> int:
    return _match(_SPACE, text, at)


def _match(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    if found is None:  # the caller has had the text read by json.loads
        raise ValueError(f"no JSON at {at}")
    return found.end()


def value_at(value: Any, path: Sequence[str | int]) -> Any:
    """The value at a path of a parsed document; None where there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
