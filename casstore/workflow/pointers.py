"""JSON pointers (RFC 6901): the paths of values inside a document."""

from __future__ import annotations

from collections.abc import Iterable

Step = str | int
"""A key of an object or an index of a list."""


def step(key: Step) -> str:
    """One step of a pointer, with its slash."""
    if type(key) is int:
        return f"/{key}"
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


def pointer(steps: Iterable[Step]) -> str:
    """The pointer of several steps; none is the whole document, ``""``."""
    return "".join(map(step, steps))
