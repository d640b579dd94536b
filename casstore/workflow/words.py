"""Puts values and things into a few characters of text, for labels and summaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from casstore import jsontext
from casstore.workflow.exact import MISSING

ELLIPSIS = "…"

_LOOK = 400
"""Characters or items looked at: a value may have megabytes, a line has tens of columns."""


def value_text(value: Any, width: int = 60) -> str:
    """A value as JSON in at most ``width`` characters, cut at the end; ``nothing`` for none."""
    if value is MISSING:
        return "nothing"
    if type(value) is list and len(value) > _LOOK:
        return cut_text(f"list of {len(value):,} items", width)
    if type(value) is dict and len(value) > _LOOK:
        return cut_text(f"object of {len(value):,} keys", width)
    if type(value) is str:
        value = value[:_LOOK]
    text = jsontext.dumps(value).decode()
    if len(text) <= width:
        return text
    return text[: max(width - 1, 0)] + ELLIPSIS


def turn_texts(before: Any, after: Any, width: int) -> tuple[str, str]:
    """Two values, each in at most ``width`` characters; of two long texts the part where they
    differ."""
    texts = value_text(before, width), value_text(after, width)
    if type(before) is not str or type(after) is not str:
        return texts
    if not any(text.endswith(ELLIPSIS) for text in texts):
        return texts
    start = _first_difference(before, after)
    if start < width // 2:
        return texts
    # a few words of what is before it, so that it can be found
    start -= min(width // 4, start)
    return tuple(_from(text, start, width) for text in (before, after))  # type: ignore[return-value]


def name_text(value: Any, width: int = 40) -> str:
    """A name, id or type on one line: text as it is, other values as JSON."""
    if type(value) is str:
        return cut_text(" ".join(value[:_LOOK].split()), width)
    return value_text(value, width)


def mode_text(mode: Any) -> str:
    """What a node does in this mode."""
    if mode is MISSING or mode is None:
        return "active"
    known = {0: "active", 2: "muted", 4: "bypassed"}.get(mode) if type(mode) is int else None
    return known or f"mode {value_text(mode, 12)}"


def cut_text(text: str, width: int, measure: Callable[[str], int] = len) -> str:
    """The text in at most ``width`` columns, the end of a longer one as an ellipsis."""
    if len(text) <= 2 * width and measure(text) <= width:
        return text
    text = text[: max(width - 1, 0)]
    while text and measure(text) > width - 1:
        text = text[:-1]
    return text + ELLIPSIS


def counted(number: int, noun: str) -> str:
    """``1 node``, ``2 nodes``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _first_difference(a: str, b: str) -> int:
    """Index of the first character that differs."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # halving: comparing slices is quick, characters are not
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _from(text: str, start: int, width: int) -> str:
    cut = value_text(text[start:], width)
    return f'"{ELLIPSIS}{cut[1:]}' if len(cut) < width else f'"{ELLIPSIS}{cut[1:-2]}{ELLIPSIS}'
