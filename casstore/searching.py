"""Finds the versions whose documents hold a node type, a text or a model file.

Looks for the bytes first and parses only what has them. Distinct documents are looked at once,
however many versions hold them.
"""

from __future__ import annotations

from casstore import documents, jsontext
from casstore.errors import CasstoreError, Damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from casstore.records import VersionRow
    from casstore.store import Store

    Hit = tuple[VersionRow, str]
    """A version and where in it something was found."""

_AROUND = 30
_REMEMBERED = 100_000
_SHOWN = 4


class Wanted:
    """Something to look for in a payload."""

    def __init__(self, needles: Iterable[bytes]) -> None:
        self._needles = [needle.lower() for needle in needles]

    def there(self, payload: bytes, codec: int) -> str | None:
        """Where it is, in a few words; None where it is not."""
        low = payload.lower()
        at = min((found for n in self._needles if (found := low.find(n)) >= 0), default=-1)
        return None if at < 0 else self._where(payload, codec, at)

    def _where(self, payload: bytes, codec: int, at: int) -> str | None:
        raise NotImplementedError


class WantedText(Wanted):
    """A text, in keys, values or a file that is no JSON; ASCII letters in either case."""

    def __init__(self, text: str) -> None:
        super().__init__(_spellings(text))

    def _where(self, payload: bytes, codec: int, at: int) -> str:
        start = max(at - _AROUND, 0)
        piece = payload[start : at + 2 * _AROUND].decode("utf-8", "ignore")
        return f"{'…' if start else ''}{piece}{'…' if at + 2 * _AROUND < len(payload) else ''}"


class WantedNode(Wanted):
    """A node of this type: ``class_type`` in the API format, ``type`` in the editor's."""

    def __init__(self, kind: str) -> None:
        super().__init__(f'"{each}"'.encode() for each in _escaped(kind))
        self._kind = kind

    def _where(self, payload: bytes, codec: int, at: int) -> str | None:
        found = list(_nodes(_parsed(payload, codec), self._kind))
        return _few(f"{self._kind} #{node}" for node in found) if found else None


class WantedModel(Wanted):
    """A value that is this file's name, with or without folders before it, in either case."""

    def __init__(self, name: str) -> None:
        name = name.replace("\\", "/")
        super().__init__(
            spelling for each in (name, name.replace("/", "\\")) for spelling in _spellings(each)
        )
        self._name = name.casefold()

    def _where(self, payload: bytes, codec: int, at: int) -> str | None:
        found = dict.fromkeys(_values(_parsed(payload, codec), self._name))
        return _few(found) if found else None


def search(store: Store, rows: Iterable[VersionRow], wanted: list[Wanted]) -> Iterator[Hit]:
    """The versions that hold all of what is wanted. Damaged ones are passed over: ``casstore
    log`` names them."""
    seen: dict[tuple[int, int], str | None] = {}
    for row in rows:
        blobs = dict.fromkeys(b for b in (row.data, row.ui, row.source) if b is not None)
        places = []
        for number, each in enumerate(wanted):
            places.append(
                next((p for b in blobs if (p := _in_blob(store, b, number, each, seen))), None)
            )
            if places[-1] is None:
                break
        else:
            yield row, "; ".join(place for place in places if place)


def _in_blob(
    store: Store,
    blob: int,
    number: int,
    wanted: Wanted,
    seen: dict[tuple[int, int], str | None],
) -> str | None:
    key = (blob, number)
    if key not in seen:
        if len(seen) > _REMEMBERED:
            seen.clear()
        try:
            seen[key] = wanted.there(*store.payload_of(blob))
        except Damaged:
            seen[key] = None
    return seen[key]


def _spellings(text: str) -> list[bytes]:
    """A text as UTF-8 and as it may stand in JSON."""
    return [each.encode("utf-8", "surrogatepass") for each in (text, *_escaped(text))]


def _escaped(text: str) -> list[str]:
    """A text inside a JSON string: as it is where it can be, and all in ASCII."""
    plain = jsontext.dumps(text).decode()[1:-1]
    ascii_only = "".join(c if c < "\x7f" else _ascii(c) for c in plain)
    return list(dict.fromkeys((plain, ascii_only)))


def _ascii(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4))


def _parsed(payload: bytes, codec: int) -> Any:
    try:
        return documents.value_of(payload, codec)
    except CasstoreError:
        return None


def _walk(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value in a document and the key it is under."""
    stack: list[tuple[Any, Any]] = [(None, value)]
    while stack:
        key, value = stack.pop()
        yield key, value
        if isinstance(value, dict):
            stack.extend(reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((key, item) for item in reversed(value))


def _nodes(document: Any, kind: str) -> Iterator[Any]:
    for key, value in _walk(document):
        if isinstance(value, dict):
            if value.get("class_type") == kind:
                yield key
            elif value.get("type") == kind and "id" in value and "class_type" not in value:
                yield value["id"]


def _values(document: Any, name: str) -> Iterator[str]:
    for _, value in _walk(document):
        if isinstance(value, str) and len(value) < 10_000:
            low = value.casefold().replace("\\", "/")
            if low == name or low.endswith(f"/{name}"):
                yield value


def _few(found: Iterable[str]) -> str:
    every = list(found)
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more
