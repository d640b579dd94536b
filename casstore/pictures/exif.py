"""Finds ComfyUI's texts in EXIF data (a TIFF structure), as ComfyUI and its save nodes write them.

- Model 0x0110 ``prompt:{…}``, Make 0x010f and the tags below it ``workflow:{…}``: ComfyUI and
  Image Saver;
- Make 0x010f ``Prompt:{…}``, ImageDescription 0x010e ``Workflow: {…}``: Save as WebP, LoRA Manager;
- UserComment 0x9286 ``{"prompt": {…}, "workflow": {…}}``, in either directory: Extended formats.

So every text in the first directory and in the Exif directory is looked at, whatever its tag.
The layout is that of TIFF 6.0 and Exif 3.0 (CIPA DC-008). Each offset is checked, each directory
is read once, and nothing recurses.
"""

from __future__ import annotations

import re
import struct

from casstore.pictures.found import NUL, UNNAMED, Found, decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.pictures.file import PictureFile

PREFIX = b"Exif\x00\x00"
"""Stands before the TIFF structure in JPEG, and in WebP files of some writers."""

_EXIF_DIRECTORY = 0x8769
_BYTE, _ASCII, _LONG, _UNDEFINED, _UTF8 = 1, 2, 4, 7, 129
_ONE_BYTE_TYPES = (_BYTE, _ASCII, _UNDEFINED, _UTF8)
_ENTRY = 12
_INLINE = 4
_CHARSET = 8
_UNICODE = b"UNICODE\x00"
_EIGHT_BIT = (b"ASCII\x00\x00\x00", b"JIS\x00\x00\x00\x00\x00", NUL * _CHARSET)
_NAMED = re.compile(r"\s*(prompt|workflow)\s*:", re.IGNORECASE)
_STARTS = (b"prompt", b"workflow", b"{")
_PEEK = 64


def texts(file: PictureFile, blob: bytes, place: str) -> Iterator[Found]:
    """The texts in EXIF data. What is wrong with it becomes a note: the picture goes on."""
    blob = blob.removeprefix(PREFIX)
    order = {b"II*\x00": "<", b"MM\x00*": ">"}.get(blob[:4])
    if order is None or len(blob) < 8:
        file.note(f"its EXIF data ({place}) does not start as TIFF")
        return
    view = memoryview(blob)
    (first,) = struct.unpack(order + "I", view[4:8])
    directories, seen = [first], set[int]()
    while directories:
        at = directories.pop()
        if at in seen:
            continue
        seen.add(at)
        for tag, kind, count, value in _entries(file, view, at, order, place):
            if tag == _EXIF_DIRECTORY and kind == _LONG and count == 1:
                directories.append(value)
            elif kind in _ONE_BYTE_TYPES and count > _INLINE:
                yield from _text(file, view, tag, count, value, place)


def _entries(
    file: PictureFile, view: memoryview, at: int, order: str, place: str
) -> Iterator[tuple[int, int, int, int]]:
    """Tag, type, count and value or offset of each entry of the directory at ``at``."""
    if at + 2 > len(view):
        file.note(f"its EXIF data ({place}) points outside itself")
        return
    (count,) = struct.unpack_from(order + "H", view, at)
    whole = (len(view) - at - 2) // _ENTRY
    if count > whole:
        file.note(f"its EXIF data ({place}) is cut off inside a directory")
    for number in range(min(count, whole)):
        file.step()
        yield struct.unpack_from(order + "HHII", view, at + 2 + number * _ENTRY)


def _text(
    file: PictureFile, view: memoryview, tag: int, count: int, at: int, place: str
) -> Iterator[Found]:
    if at + count > len(view):
        file.note(f"its EXIF tag {tag:#06x} ({place}) points outside the EXIF data")
        return
    value = view[at : at + count]
    if not _may_be_ours(value):
        return
    # entries may share bytes, so that a small file could ask for many copies
    file.spend(count)
    text = _decoded(value)
    if text is None:
        file.note(f"its EXIF tag {tag:#06x} ({place}) is no text in the encoding that it names")
        return
    where = f"EXIF tag {tag:#06x}"
    named = _NAMED.match(text)
    if named is not None:
        yield Found(named[1].lower(), text[named.end() :], where)
    else:
        yield Found(UNNAMED, text, where)


def _may_be_ours(value: memoryview) -> bool:
    head = bytes(value[:_PEEK])
    if head.startswith((_UNICODE, *_EIGHT_BIT)):
        head = head[_CHARSET:]
    head = head.replace(b"\xfe\xff", b"").replace(b"\xff\xfe", b"").replace(NUL, b"")
    return head.lstrip().lower().startswith(_STARTS)


def _decoded(value: memoryview) -> str | None:
    """The text of a value, which begins with the name of its encoding in a UserComment."""
    charset = bytes(value[:_CHARSET])
    if charset != _UNICODE:
        return decoded(bytes(value[_CHARSET:] if charset in _EIGHT_BIT else value))
    body = bytes(value[_CHARSET:])
    try:
        if body.startswith((b"\xfe\xff", b"\xff\xfe")):
            return body.decode("utf-16")
        # the order is that of the whole by the standard, and big-endian by most writers
        return body.decode("utf-16-be" if body[:1] == NUL else "utf-16-le")
    except UnicodeDecodeError:
        return None
