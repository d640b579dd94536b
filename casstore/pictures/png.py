"""Finds ComfyUI's texts in a PNG: the chunks tEXt, zTXt, iTXt, comf and eXIf, wherever they stand.

The layout is that of https://www.w3.org/TR/png-3/. ``comf`` is a chunk of ComfyUI's own with the
layout of tEXt, which its animated PNGs have after the pixels. Pixels are skipped, not read.
"""

from __future__ import annotations

import struct
import zlib

from casstore.pictures import exif
from casstore.pictures.found import NUL, Found, decoded, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.pictures.file import PictureFile

SIGNATURE = b"\x89PNG\r\n\x1a\n"

_TEXT = (b"tEXt", b"zTXt", b"iTXt", b"comf")
_EXIF = b"eXIf"
_END = b"IEND"
_HEAD = 8
_CRC = 4
_LONGEST_KEYWORD = 79


def texts(file: PictureFile) -> Iterator[Found]:
    """The texts in the order of their chunks. Raises `BrokenPicture`, also after some."""
    at = len(SIGNATURE)
    while True:
        file.step()
        length, kind = struct.unpack(">I4s", file.exactly(at, _HEAD, "a chunk"))
        if not kind.isalpha():
            raise file.broken(f"there is no chunk at byte {at:,}")
        place = f"{kind.decode()} chunk at byte {at:,}"
        if at + _HEAD + length + _CRC > file.size:
            raise file.broken(f"the {place} is cut off")
        if kind in _TEXT:
            yield from _text(file, at, length, kind, place)
        elif kind == _EXIF:
            blob = file.block(at + _HEAD, length, "EXIF data")
            yield from exif.texts(file, blob, place)
        elif kind == _END:
            return
        at += _HEAD + length + _CRC


def _text(file: PictureFile, at: int, length: int, kind: bytes, place: str) -> Iterator[Found]:
    """The text of one chunk where its keyword is one of ComfyUI's; others are not even read."""
    start = file.exactly(at + _HEAD, min(length, _LONGEST_KEYWORD + 1), place)
    keyword, separator, _ = start.partition(NUL)
    label = label_of(keyword.decode("latin-1"))
    if label is None or not separator:
        return
    data = file.text(at + _HEAD, length, place)
    (crc,) = struct.unpack(">I", file.exactly(at + _HEAD + length, _CRC, place))
    damaged = crc != zlib.crc32(data, zlib.crc32(kind))
    body = _body(file, kind, data[len(keyword) + 1 :], f"its {label} ({place})")
    if body is not None:
        yield Found(label, decoded(body), place, damaged)


def _body(file: PictureFile, kind: bytes, body: bytes, where: str) -> bytes | None:
    """The text behind the keyword; None where it cannot be had, with a note."""
    if kind == b"zTXt":
        return _inflated(file, body[:1], body[1:], where)
    if kind == b"iTXt":
        compressed, method = body[:1], body[1:2]
        parts = body[2:].split(NUL, 2)  # language, translated keyword, text
        if compressed not in (b"\x00", b"\x01") or len(parts) != 3:
            file.note(f"{where} is not laid out as an iTXt chunk")
            return None
        return parts[2] if compressed == NUL else _inflated(file, method, parts[2], where)
    return body


def _inflated(file: PictureFile, method: bytes, data: bytes, where: str) -> bytes | None:
    if method != NUL:
        file.note(f"{where} is compressed by a method that PNG does not know")
        return None
    inflate = zlib.decompressobj()
    try:
        # one byte more than allowed is enough to see that it is too much
        text = inflate.decompress(data, file.left + 1)
    except zlib.error as error:
        file.note(f"{where} cannot be inflated: {error}")
        return None
    file.spend(len(text))
    if not inflate.eof:
        file.note(f"{where} is cut off inside its compressed text")
        return None
    return text
