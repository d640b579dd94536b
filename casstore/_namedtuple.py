"""``NamedTuple`` without importing ``typing``.

``typing`` costs 3.5 ms of a 12 ms interpreter start, and the scripts pay for every start. Type
checkers read ``typing.NamedTuple`` (see the importing modules); at run time the same class is made
by ``collections.namedtuple``.
"""

from __future__ import annotations

import collections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OWN = frozenset({"__annotations__", "__module__", "__qualname__", "__slots__"})


class _Meta(type):
    def __new__(meta, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(meta, name, bases, namespace)
        fields = list(namespace.get("__annotations__", {}))
        make: Any = collections.namedtuple
        made = make(
            name,
            fields,
            defaults=[namespace[field] for field in fields if field in namespace],
            module=namespace["__module__"],
        )
        for key, value in namespace.items():
            if key not in _OWN and key not in fields:
                setattr(made, key, value)
        return made


class NamedTuple(metaclass=_Meta):
    """Subclass with annotated fields, as with ``typing.NamedTuple``; needs
    ``from __future__ import annotations`` in the subclassing module."""
