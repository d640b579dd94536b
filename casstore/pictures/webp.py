"""Finds ComfyUI's texts in a WebP: its EXIF chunk, in a RIFF file
(https://developers.google.com/speed/webp/docs/riff_container).
"""

from __future__ import annotations

import struct

from casstore.pictures import exif

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.pictures.file import PictureFile
    from casstore.pictures.found import Found

_HEAD = 8
_FIRST = 12
_EXIF = b"EXIF"


def texts(file: PictureFile) -> Iterator[Found]:
    """The texts of every EXIF chunk. Raises `BrokenPicture`, also after some."""
    (length,) = struct.unpack("<I", file.exactly(4, 4, "the RIFF header"))
    end = _HEAD + length
    at = _FIRST
    while at < file.size:
        # what follows the end that the header gives is read as ComfyUI's editor does, but
        # need not make sense
        loose = at >= end
        if loose and at + _HEAD > file.size:
            return
        file.step()
        kind, length = struct.unpack("<4sI", file.exactly(at, _HEAD, "a chunk"))
        place = f"{kind.decode('latin-1')} chunk at byte {at:,}"
        if at + _HEAD + length > file.size:
            if loose:
                return
            raise file.broken(f"the {place} is cut off")
        if kind == _EXIF:
            blob = file.block(at + _HEAD, length, "EXIF data")
            yield from exif.texts(file, blob, place)
        at += _HEAD + length + length % 2
    if at < end:
        raise file.broken(f"it ends {end - at:,} bytes early")
