"""Finds ComfyUI's texts in a JPEG: the EXIF data in the APP1 segments before the pixels.

One segment holds 64 kB. EXIF data that goes on in a second APP1 segment is put together, as
Pillow does.
"""

from __future__ import annotations

import struct

from casstore.pictures import exif
from casstore.pictures.errors import BrokenPicture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.pictures.file import PictureFile
    from casstore.pictures.found import Found

SIGNATURE = b"\xff\xd8\xff"

_ESCAPE = 0xFF
_APP1 = 0xE1
_SCAN, _END = 0xDA, 0xD9
_ALONE = (0x01, *range(0xD0, 0xD8))
_LENGTH = 2


def texts(file: PictureFile) -> Iterator[Found]:
    """The texts of the EXIF data. Raises `BrokenPicture`, also after some."""
    blob, fault = bytearray(), None
    try:
        for at, length in _segments(file):
            data = file.block(at, length, "EXIF data")
            if data.startswith(exif.PREFIX):
                file.spend(length)
                blob += data[len(exif.PREFIX) :]
    except BrokenPicture as error:
        fault = error
    if blob:
        yield from exif.texts(file, bytes(blob), "APP1 segment")
    if fault is not None:
        raise fault


def _segments(file: PictureFile) -> Iterator[tuple[int, int]]:
    """Position and length of each APP1 segment's content."""
    at = len(SIGNATURE) - 1
    while True:
        file.step()
        escape, marker = file.exactly(at, 2, "a segment")
        if escape != _ESCAPE:
            raise file.broken(f"there is no segment at byte {at:,}")
        if marker == _ESCAPE:  # any number of them may stand before a marker
            at += 1
            continue
        if marker in (_SCAN, _END):
            return
        at += 2
        if marker in _ALONE:
            continue
        (length,) = struct.unpack(">H", file.exactly(at, _LENGTH, "a segment"))
        if length < _LENGTH:
            raise file.broken(f"the segment at byte {at - 2:,} gives the length {length}")
        if at + length > file.size:
            raise file.broken(f"the segment at byte {at - 2:,} is cut off")
        if marker == _APP1:
            yield at + _LENGTH, length - _LENGTH
        at += length
