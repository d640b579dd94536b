"""Makes an RFC 6902 JSON patch that really turns one JSON value into another.

Applied in order to ``before`` it gives a value equal to ``after`` in value and type. A patch
cannot express the order of keys: a key it adds goes to the end of its object.
"""

from __future__ import annotations

from typing import Any

from casstore.workflow.alignment import align
from casstore.workflow.changes import Part, is_list, members
from casstore.workflow.exact import MISSING, check, depth_checked, same

Operation = dict[str, Any]
"""``{"op": "add" | "replace", "path", "value"}`` or ``{"op": "remove", "path"}``."""


def json_patch(before: Any, after: Any) -> list[Operation]:
    """The operations, none for equal values. They share their values with ``after``.

    Items of lists that carry an ``id`` or a ``name`` are recognised by it, others by their value.
    A list is replaced as a whole only where nothing in it stayed, or where it is too long or too
    deep inside to tell (`casstore.workflow.changes`). Raises as `diff` does.
    """
    check(before, "the first document")
    check(after, "the second document")
    with depth_checked():
        return _operations(before, after)


def _operations(before: Any, after: Any) -> list[Operation]:
    made: list[Operation] = []
    # What is to be done, the next last. Lists are worked on from their end, so that the indices
    # of what is still to be done are those of ``before``.
    stack = [Part("", before, after, 0)]
    while stack:
        part = stack.pop()
        path, a, b, _ = part
        if a is MISSING:
            made.append({"op": "add", "path": path, "value": b})
        elif b is MISSING:
            made.append({"op": "remove", "path": path})
        elif not same(a, b):
            parts = _items(part) if is_list(part) else _members(part)
            if parts is None:
                made.append({"op": "replace", "path": path, "value": b})
            else:
                stack.extend(parts)
    return made


def _members(part: Part) -> list[Part] | None:
    found = members(part)
    return None if found is None else found[::-1]


def _items(part: Part) -> list[Part] | None:
    """What to do for two lists, in the reverse of the order to do it in: from their ends on."""
    path, a, b, depth = part
    found = align(a, b)
    if found is None:
        return None
    made: list[Part] = []
    adds: list[Part] = []
    at = found.start  # in ``a``: what was added stands before this item
    for before, after in found.pairs:
        if before is None:
            assert after is not None
            # a run is added item by item, each behind the one before it
            adds.append(Part(f"{path}/{at + len(adds)}", MISSING, b[after], depth + 1))
            continue
        made += reversed(adds)
        adds = []
        value = MISSING if after is None else b[after]
        made.append(Part(f"{path}/{before}", a[before], value, depth + 1))
        at = before + 1
    return made + adds[::-1]
