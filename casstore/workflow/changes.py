"""Every difference of two JSON values, by path: what has no meaning of its own to casstore.

Nothing is left out: there is no change exactly where the values are equal in value and type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from casstore.workflow.alignment import align
from casstore.workflow.exact import MISSING, same
from casstore.workflow.pointers import step

MAX_DEPTH = 32
MAX_PATH = 1000
"""Levels below the first, and characters of a path, down to which differences are told apart;
what is deeper is one value. ComfyUI's documents stay far above: without the bound, many changes
at the end of a long path would take memory with the square of the document's size."""

MAX_KEYS = 50_000
"""Keys of an object that are told apart; one with more that differs is one value."""


class ValueChange(NamedTuple):
    """One value that was added, removed or replaced."""

    path: str
    """JSON pointer into the second document; of what was removed, into the first."""
    before: Any
    """`MISSING` where it was added."""
    after: Any
    """`MISSING` where it was removed."""

    def as_dict(self) -> dict[str, Any]:
        """``{"path", "before", "after"}`` without what is missing."""
        made = {"path": self.path, "before": self.before, "after": self.after}
        return {key: value for key, value in made.items() if value is not MISSING}


class Part(NamedTuple):
    """Two values to compare, ``depth`` levels below where a comparison began."""

    path: str
    before: Any
    after: Any
    depth: int


def changes(before: Any, after: Any, path: str = "") -> Iterator[ValueChange]:
    """The differences between two values at ``path``, in the order of the second."""
    stack = [Part(path, before, after, 0)]
    while stack:
        part = stack.pop()
        if same(part.before, part.after):
            continue
        parts = _items(part) if is_list(part) else members(part)
        if parts is None:
            yield ValueChange(*part[:3])
        else:
            stack.extend(reversed(parts))


def is_list(part: Part) -> bool:
    """True for two lists that are to be compared item by item."""
    return type(part.before) is list and type(part.after) is list and _in_reach(part)


def members(part: Part) -> list[Part] | None:
    """The members of two objects, to be compared each; None for other values, and for objects that
    are compared as wholes."""
    path, a, b, depth = part
    if type(a) is not dict or type(b) is not dict or not _in_reach(part):
        return None
    if max(len(a), len(b)) > MAX_KEYS:
        return None
    made = [Part(path + step(k), value, b.get(k, MISSING), depth + 1) for k, value in a.items()]
    made += [Part(path + step(k), MISSING, b[k], depth + 1) for k in b if k not in a]
    return made


def _in_reach(part: Part) -> bool:
    return part.depth < MAX_DEPTH and len(part.path) <= MAX_PATH


def _items(part: Part) -> list[Part] | None:
    path, a, b, depth = part
    found = align(a, b)
    if found is None:
        return None
    return [
        Part(
            f"{path}/{before if after is None else after}",
            MISSING if before is None else a[before],
            MISSING if after is None else b[after],
            depth + 1,
        )
        for before, after in found.pairs
    ]
