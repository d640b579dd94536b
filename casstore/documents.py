"""Turns a value or a text into a document that comes back exactly, and a payload into its value.

Nothing else calls orjson on workflow data. orjson is used where it is exact; where it is not
(integers beyond 64 bits, NaN, infinities, lone surrogates, nesting above 254), the exact reader
and writer of `casstore.jsontext` takes over and the document is marked `EXACT_JSON`. What neither
keeps is refused. See ``docs/exactness.md``.
"""

from __future__ import annotations

import marshal

from casstore import jsontext
from casstore.digests import sha256
from casstore.errors import Damaged, DocumentTooLarge, InvalidDocument
from casstore.records import BINARY, EXACT_JSON, JSON, TEXT, Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CANONICAL_VERSION = 1
"""Of the text that the content hash is taken over: orjson's compact text with sorted keys
(sorted by code point; the exact writer's where orjson is not exact)."""

MAX_PAYLOAD = 256 * 1024 * 1024
"""Bytes of one document. Also the most that any frame is allowed to decode to."""

# Up to this size a tuple has a length below 2**24, which `_NOT_EXACT` relies on.
_SCAN_LIMIT = 16 * 1024 * 1024


def from_value(value: Any, where: str) -> Document:
    """The document of a Python value; ``where`` names it in errors (``workflow_data``).

    Raises `InvalidDocument` where ``value`` would not come back equal in value, type and key
    order, `DocumentTooLarge` above `MAX_PAYLOAD`.
    """
    payload = _exact_orjson(value)
    if payload is not None:
        codec = JSON
    else:
        jsontext.check(value, where)
        codec = EXACT_JSON
        payload = _exact_text(value, where)
    return _document(payload, codec, value, where)


def loose_from_value(value: Any, where: str) -> Document:
    """The same without orjson and without the content hash, for processes that cannot afford to
    import orjson; `Document.content_hash` is None until the blob is packed. ``value`` must come
    from `jsontext.loads`.
    """
    jsontext.check(value, where)
    payload = _exact_text(value, where)
    _check_size(payload, where)
    return Document(payload, EXACT_JSON, sha256(payload), None)


def from_text(text: bytes, where: str) -> Document:
    """The document whose payload is exactly this JSON text, white space and all.

    Raises `InvalidDocument` for anything but one JSON value in UTF-8 with unique keys.
    """
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidDocument(
            f"{where} is not UTF-8 text: byte {error.start} is {text[error.start]:#04x}",
            offset=error.start,
        ) from None
    value = jsontext.loads(decoded, where=where)
    codec = _codec_for(text, value)
    if codec != JSON:  # what orjson writes and reads is within the limits: 4 ms of a 50 KB file
        jsontext.check(value, where)
    return _document(text, codec, value, where)


def from_any_text(text: bytes, where: str) -> Document:
    """Like `from_text`, but keeps every byte string: JSON with duplicate keys as `EXACT_JSON`
    without a content hash, other text as `TEXT`, other bytes as `BINARY`.
    """
    try:
        return from_text(text, where)
    except DocumentTooLarge:
        raise
    except InvalidDocument:
        codec = _codec_of_other(text, where)
    _check_size(text, where)
    return Document(text, codec, sha256(text), None)


def _codec_of_other(text: bytes, where: str) -> int:
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError:
        return BINARY
    try:
        jsontext.check(jsontext.loads(decoded, unique_keys=False, where=where), where)
    except InvalidDocument:
        return TEXT
    return EXACT_JSON


def packed(payload: bytes, codec: int) -> Document:
    """The complete document of a loose one: the cheapest codec that is exact, the content hash."""
    if codec == EXACT_JSON:
        return from_any_text(payload, "a loose document")
    return Document(payload, codec, sha256(payload), None)


def value_of(payload: bytes, codec: int) -> Any:
    """The value of a stored payload. Of duplicate keys the last counts, as in ``json.loads``;
    text that is not JSON comes back as ``str``, other bytes as ``bytes``. Raises `Damaged` where
    the payload is not what its codec says.
    """
    try:
        if codec == JSON:
            import orjson

            return orjson.loads(payload)
        if codec == EXACT_JSON:
            return jsontext.loads(payload.decode(), unique_keys=False, where="the stored document")
        if codec == TEXT:
            return payload.decode()
    except (ValueError, InvalidDocument) as error:
        if isinstance(error, InvalidDocument) and "limit" in error.details:
            raise  # the reading process's own limits, not the payload
        raise Damaged(f"a stored document does not read as codec {codec}: {error}") from None
    if codec == BINARY:
        return payload
    raise Damaged(f"a stored document has the unknown codec {codec}")


def canonical(value: Any) -> bytes:
    """The canonical form, version `CANONICAL_VERSION`: equal for values that differ in the order
    of keys only. ``value`` must be one that a document can hold.
    """
    if _exact_orjson(value) is not None:
        return _sorted_orjson(value)
    return jsontext.dumps(value, sort_keys=True)


def _sorted_orjson(value: Any) -> bytes:
    import orjson

    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _document(payload: bytes, codec: int, value: Any, where: str) -> Document:
    _check_size(payload, where)
    form = _sorted_orjson(value) if codec == JSON else canonical(value)
    return Document(payload, codec, sha256(payload), sha256(form))


def _check_size(payload: bytes, where: str) -> None:
    if len(payload) > MAX_PAYLOAD:
        raise DocumentTooLarge(
            f"{where} is {len(payload):,} bytes as JSON; casstore keeps documents of up to "
            f"{MAX_PAYLOAD:,} bytes",
            size=len(payload),
            limit=MAX_PAYLOAD,
        )


def _exact_orjson(value: Any) -> bytes | None:
    """orjson's text of a value, or None where reading it back would give another value.

    orjson writes NaN and infinities as null, tuples as lists and enum members as their values
    without a word. ``marshal`` refuses every type but the exact built-in ones, and its version 1
    spells those that JSON lacks so that they can be searched for: half the time of reading the
    text back and comparing (p90 template: 0.2 ms against 0.45). What supports the buffer protocol
    marshal takes for bytes, so orjson is told to refuse the subclasses that may.
    """
    import orjson

    try:
        payload = orjson.dumps(
            value, option=orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS
        )
        types = marshal.dumps(value, 1)
    except (orjson.JSONEncodeError, ValueError, RecursionError):
        return None
    if len(types) > _SCAN_LIMIT or _may_differ(types):
        # rarely so, and then often innocent: a text such as "(a" can look like a tuple
        return payload if marshal.dumps(orjson.loads(payload), 1) == types else None
    return payload


def _may_differ(types: bytes) -> bool:
    """True where marshal's text of a value may hold a tuple (``(`` and a length below 2**24,
    little-endian) or a float that is not finite (``f``, a length, ``nan``, ``inf`` or ``-inf``).

    The patterns begin with one rare byte, which is searched for at memory speed.
    """
    import re

    if re.search(rb"\((?=.{3}\x00)", types, re.DOTALL):
        return True
    if b"f\x03" in types and re.search(rb"\x03(?=nan|inf)", types):
        return True
    return b"f\x04" in types and re.search(rb"\x04(?=-inf)", types) is not None


def _exact_text(value: Any, where: str) -> bytes:
    try:
        return jsontext.dumps(value)
    except RecursionError:
        raise InvalidDocument(
            f"{where} is nested deeper than this call can write; save it from a shallower call",
            limit=jsontext.MAX_DEPTH,
        ) from None
    except ValueError:  # sys.set_int_max_str_digits was lowered
        raise InvalidDocument(
            f"{where} holds an integer longer than this process turns into text; "
            f"raise sys.set_int_max_str_digits"
        ) from None


def _codec_for(text: bytes, value: Any) -> int:
    """`JSON` where orjson reads the text as the exact reader did and can write its value."""
    import orjson

    if _exact_orjson(value) is None:
        return EXACT_JSON
    try:
        read = orjson.loads(text)
    except orjson.JSONDecodeError:
        return EXACT_JSON
    return JSON if marshal.dumps(read, 1) == marshal.dumps(value, 1) else EXACT_JSON
