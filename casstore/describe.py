"""Names what somebody handed over instead of a workflow, for error messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BYTES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"\xff\xfe", "UTF-16 text; save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text; save it as UTF-8"),
)


def bytes_kind(data: bytes) -> str | None:
    """What these bytes are where they are recognised as something that is not JSON."""
    if not data.strip():
        return "empty" if not data else "nothing but white space"
    for start, kind in _BYTES:
        if data.startswith(start):
            return kind
    if b"\x00" in data[:64]:
        even, odd = data[:64:2].count(0), data[1:64:2].count(0)
        if even + odd > 8:
            return "UTF-16 text; save it as UTF-8"
        return "binary data"
    head = data[:256].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")):
        return "an HTML page, not JSON"
    if head.startswith(b"<"):
        return "XML or HTML, not JSON"
    return None


def value_kind(value: Any) -> str:
    """What a value is, in JSON's words: ``null``, ``a list``, ``a string holding JSON`` …"""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, (list, tuple)):
        return "a list"
    if type(value) is dict:
        return "an object"
    if isinstance(value, str):
        text = value.lstrip("\ufeff \t\r\n")
        if text.startswith(("{", "[")):
            return "a string holding JSON; parse it first"
        kind = bytes_kind(value.encode("utf-8", "surrogatepass"))
        return f"a string holding {kind}" if kind else "a string"
    if isinstance(value, (bytes, bytearray)):
        return f"bytes holding {bytes_kind(bytes(value)) or 'text'}"
    return f"of type {type(value).__module__}.{type(value).__qualname__}"
