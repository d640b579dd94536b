"""Says whether two JSON values are the same in value, type and key order. Made without the means
that casstore itself uses to find out."""

from __future__ import annotations

import struct
from typing import Any


def difference(seen: Any, expected: Any) -> str | None:
    """The first difference and its place, None where there is none. ``1``, ``1.0`` and ``True``
    differ, as do ``0.0`` and ``-0.0``; NaN is the same as NaN."""
    stack: list[tuple[Any, Any, str]] = [(seen, expected, "$")]
    while stack:
        a, b, place = stack.pop()
        if type(a) is not type(b):
            return f"{place}: {type(a).__name__} {a!r:.80} is not {type(b).__name__} {b!r:.80}"
        if type(a) is dict:
            if list(a) != list(b):
                return f"{place}: the keys {list(a)!r:.200} are not {list(b)!r:.200}"
            stack.extend((a[key], b[key], f"{place}[{key!r:.40}]") for key in a)
        elif type(a) is list:
            if len(a) != len(b):
                return f"{place}: {len(a)} items are not {len(b)}"
            stack.extend((x, y, f"{place}[{i}]") for i, (x, y) in enumerate(zip(a, b, strict=True)))
        elif type(a) is float:
            if (a == a or b == b) and struct.pack("<d", a) != struct.pack("<d", b):
                return f"{place}: {a!r} is not {b!r}"
        elif type(a) not in (str, int, bool, type(None), bytes):
            return f"{place}: {type(a)} is no type of JSON's"
        elif a != b:
            return f"{place}: {a!r:.200} is not {b!r:.200}"
    return None


def assert_same(seen: Any, expected: Any) -> None:
    """Fails with the first difference."""
    found = difference(seen, expected)
    assert found is None, found


def shuffled(value: Any, rng: Any) -> Any:
    """The same value with the keys of every object in another order."""
    if isinstance(value, dict):
        items = list(value.items())
        rng.shuffle(items)
        return {key: shuffled(child, rng) for key, child in items}
    if isinstance(value, list):
        return [shuffled(child, rng) for child in value]
    return value


def in_order(value: Any) -> Any:
    """The same value with the keys of every object sorted."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(child) for child in value] if isinstance(value, list) else value
