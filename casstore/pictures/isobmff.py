"""Finds ComfyUI's texts in an MP4 or QuickTime file: the metadata of its ``moov`` box.

- ``meta`` with ``keys`` and ``ilst``: the items ``prompt`` and ``workflow`` of ComfyUI's SaveVideo
  and of Video Helper Suite (VHS);
- ``©cmt`` in ``meta``/``ilst`` (MP4) or ``udta`` (MOV): one JSON object with both, by VHS of 2023.

All through FFmpeg, with and without ``movflags use_metadata_tags``. Boxes are those of ISO/IEC
14496-12; the frames (``mdat``) are skipped, not read.
"""

from __future__ import annotations

import struct

from casstore.pictures.found import NUL, UNNAMED, Found, decoded, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.pictures.file import PictureFile

STARTS = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
"""Types of the first box. Old QuickTime files have no ``ftyp``."""

_COMMENT = b"\xa9cmt"
_HEAD = 8
_DATA_HEAD = 8  # the type of the value and its locale
_LANGUAGE_HEAD = 4  # the length of the text and its language
_UTF16 = 2
_MOST_KEYS = 1 << 20

_Box = tuple[bytes, int, int]  # type, start and end of the content


def texts(file: PictureFile) -> Iterator[Found]:
    """The texts of the ``moov`` box. Raises `BrokenPicture`, also after some."""
    found = False
    for kind, start, end in _boxes(file, 0, file.size):
        inside = [(kind, start, end)] if kind != b"moov" else _boxes(file, start, end)
        for box in inside:
            for text in _metadata(file, *box):
                found = True
                yield text
        if kind == b"moov":
            return
    if not found:
        file.note("it has no moov box, which is where a video keeps its metadata")


def _metadata(file: PictureFile, kind: bytes, start: int, end: int) -> Iterator[Found]:
    """The texts of a ``udta`` or ``meta`` box, nothing for others."""
    if kind == b"meta":
        yield from _meta(file, start, end)
    elif kind == b"udta":
        for inner, at, stop in _boxes(file, start, end):
            if inner == b"meta":
                yield from _meta(file, at, stop)
            elif inner == _COMMENT and stop - at > _LANGUAGE_HEAD:
                data = _quicktime_text(file, at, stop - at - _LANGUAGE_HEAD)
                yield Found(UNNAMED, decoded(data), "comment")


def _quicktime_text(file: PictureFile, at: int, room: int) -> bytes:
    (length,) = struct.unpack(">H", file.exactly(at, 2, "a comment"))
    if room % 0x10000 == length:  # FFmpeg lets the two bytes overflow for longer texts
        length = room
    return file.text(at + _LANGUAGE_HEAD, min(length, room), "a comment")


def _meta(file: PictureFile, start: int, end: int) -> Iterator[Found]:
    # ISO has a version before the boxes, QuickTime has none
    if end - start >= _HEAD and file.exactly(start + 4, 4, "a meta box") != b"hdlr":
        start += 4
    wanted = (b"keys", b"ilst")
    boxes = {kind: (at, stop) for kind, at, stop in _boxes(file, start, end) if kind in wanted}
    if b"ilst" not in boxes:
        return
    names = _keys(file, *boxes[b"keys"]) if b"keys" in boxes else {}
    for kind, at, stop in _boxes(file, *boxes[b"ilst"]):
        name = names.get(struct.unpack(">I", kind)[0], "")
        label = UNNAMED if kind == _COMMENT or name == "comment" else label_of(name)
        if label is not None:
            yield from _item(file, at, stop, label, name or "comment")


def _keys(file: PictureFile, start: int, end: int) -> dict[int, str]:
    """The names of metadata items by their numbers, which count from 1."""
    if end - start < 8 or end - start > _MOST_KEYS:
        return {}
    data = file.exactly(start, end - start, "a keys box")
    (count,) = struct.unpack(">I", data[4:8])
    names: dict[int, str] = {}
    at = 8
    while len(names) < count and at + _HEAD <= len(data):
        file.step()
        (size,) = struct.unpack(">I", data[at : at + 4])
        if size < _HEAD or at + size > len(data):
            file.note("its list of metadata names (keys box) is broken")
            break
        names[len(names) + 1] = decoded(data[at + _HEAD : at + size])
        at += size
    return names


def _item(file: PictureFile, start: int, end: int, label: str, name: str) -> Iterator[Found]:
    place = f"metadata item {name}"
    for kind, at, stop in _boxes(file, start, end):
        if kind != b"data" or stop - at < _DATA_HEAD:
            continue
        (value_type,) = struct.unpack(">I", file.exactly(at, 4, place))
        data = file.text(at + _DATA_HEAD, stop - at - _DATA_HEAD, place)
        if value_type == _UTF16:
            yield Found(label, data.decode("utf-16-be", "replace"), place)
        else:
            yield Found(label, decoded(data.rstrip(NUL)), place)


def _boxes(file: PictureFile, start: int, end: int) -> Iterator[_Box]:
    """The boxes between two positions. Raises `BrokenPicture` for one that does not fit."""
    at = start
    while end - at >= _HEAD:
        file.step()
        size, kind = struct.unpack(">I4s", file.exactly(at, _HEAD, "a box"))
        head = _HEAD
        if size == 1 and end - at >= 16:
            (size,) = struct.unpack(">Q", file.exactly(at + _HEAD, 8, "a box"))
            head = 16
        elif size == 0:  # up to the end
            size = end - at
        if size < head:
            if not any(file.exactly(at, min(_HEAD, end - at), "a box")):
                return  # QuickTime ends udta with four zero bytes, and writers pad with more
            raise file.broken(f"the box at byte {at:,} gives the length {size}")
        if size > end - at:
            raise file.broken(f"the {kind.decode('latin-1')} box at byte {at:,} is cut off")
        yield kind, at + head, at + size
        at += size
