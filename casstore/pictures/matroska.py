"""Finds ComfyUI's texts in a WebM or Matroska file: its tags PROMPT, WORKFLOW and COMMENT.

ComfyUI's SaveWEBM and VHS write the first two through FFmpeg; VHS of 2023 wrote one JSON object
with both into the third. The layout is that of RFC 8794 and RFC 9559; the frames (Cluster) are
skipped, not read.
"""

from __future__ import annotations

from casstore.pictures.found import NUL, UNNAMED, Found, decoded, label_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.pictures.file import PictureFile

SIGNATURE = b"\x1a\x45\xdf\xa3"

_HEADER = 0x1A45DFA3
_DOCTYPE = 0x4282
_SEGMENT = 0x18538067
_CLUSTER = 0x1F43B675
_TAGS = 0x1254C367
_TAG = 0x7373
_SIMPLE_TAG = 0x67C8
_NAME = 0x45A3
_STRING = 0x4487
_MAY_BE_OPEN = (_SEGMENT, _CLUSTER)
_LONGEST_NAME = 64
_LONGEST_ID, _LONGEST_SIZE = 4, 8

_Element = tuple[int, int, int]  # id, start and end of the content


def is_webm(file: PictureFile) -> bool:
    """True where the file says that it is WebM, False for other Matroska files."""
    for kind, start, end in _elements(file, 0, file.size):
        if kind != _HEADER:
            break
        for inner, at, stop in _elements(file, start, end):
            if inner == _DOCTYPE and stop - at <= _LONGEST_NAME:
                return file.exactly(at, stop - at, "the document type").rstrip(NUL) == b"webm"
        break
    return False


def texts(file: PictureFile) -> Iterator[Found]:
    """The texts of the first tags that hold any. Raises `BrokenPicture`, also after some."""
    for kind, start, end in _elements(file, 0, file.size):
        if kind != _TAGS:
            continue
        found = False
        for text in _tags(file, start, end):
            found = True
            yield text
        if found:
            return


def _tags(file: PictureFile, start: int, end: int) -> Iterator[Found]:
    for kind, tag, tag_end in _elements(file, start, end):
        if kind == _TAG:
            for inner, at, stop in _elements(file, tag, tag_end):
                if inner == _SIMPLE_TAG:
                    yield from _simple_tag(file, at, stop)


def _simple_tag(file: PictureFile, start: int, end: int) -> Iterator[Found]:
    name, value = "", None
    for kind, at, stop in _elements(file, start, end):
        if kind == _NAME and stop - at <= _LONGEST_NAME:
            name = decoded(file.exactly(at, stop - at, "a tag").rstrip(NUL))
        elif kind == _STRING:
            value = (at, stop)
    label = UNNAMED if name.lower() == "comment" else label_of(name)
    if label is not None and value is not None:
        at, stop = value
        place = f"tag {name}"
        yield Found(label, decoded(file.text(at, stop - at, place).rstrip(NUL)), place)


def _elements(file: PictureFile, start: int, end: int) -> Iterator[_Element]:
    """The elements between two positions; those in a segment, and in a cluster of unknown length,
    come as if they stood beside it. Raises `BrokenPicture` for one that does not fit."""
    at = start
    while at < end:
        file.step()
        kind, length = _number(file, at, end, _LONGEST_ID)
        size, more = _number(file, at + length, end, _LONGEST_SIZE)
        marker = 1 << 7 * more
        body = at + length + more
        unknown = size == 2 * marker - 1
        size -= marker
        if unknown and kind not in _MAY_BE_OPEN:
            raise file.broken(f"the element at byte {at:,} does not say how long it is")
        if kind == _SEGMENT or unknown:
            if not unknown and body + size > end:
                file.note("it is shorter than it says")
            at = body
        elif body + size > end:
            raise file.broken(f"the element at byte {at:,} is cut off")
        else:
            yield kind, body, body + size
            at = body + size


def _number(file: PictureFile, at: int, end: int, longest: int) -> tuple[int, int]:
    """A number of variable length with its marker bit, and how many bytes it takes."""
    length = 9 - file.exactly(at, 1, "an element")[0].bit_length()
    if length > longest:
        raise file.broken(f"there is no element at byte {at:,}")
    if at + length > end:
        raise file.broken(f"the element at byte {at:,} is cut off")
    return int.from_bytes(file.exactly(at, length, "an element"), "big"), length
