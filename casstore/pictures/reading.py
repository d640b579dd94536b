"""`read`: from a file's name to its `Picture`, or one error that names the file.

A picture that is broken behind its workflow still gives the workflow; the fault becomes a note.
"""

from __future__ import annotations

import hashlib
import os
import stat

from casstore.describe import bytes_kind
from casstore.errors import UsageError
from casstore.pictures import isobmff, jpeg, judge, matroska, png, webp
from casstore.pictures.errors import BrokenPicture, NoWorkflow, PictureLimit, UnknownPicture
from casstore.pictures.file import PictureFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO, NamedTuple

    from casstore.pictures.errors import PictureError
    from casstore.pictures.found import Found
else:
    from casstore._namedtuple import NamedTuple

PNG, WEBP, JPEG, MP4, WEBM, MKV = "png", "webp", "jpeg", "mp4", "webm", "mkv"

_READERS: dict[str, Callable[[PictureFile], Iterator[Found]]] = {
    PNG: png.texts,
    WEBP: webp.texts,
    JPEG: jpeg.texts,
    MP4: isobmff.texts,
    WEBM: matroska.texts,
    MKV: matroska.texts,
}
_READ = "PNG, WebP, JPEG, MP4 and MOV, WebM and MKV are read"
_STILL_BRANDS = (b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1")
_PIECE = 1 << 20


class Picture(NamedTuple):
    """A picture and what ComfyUI embedded in it; at least one of the two texts is there."""

    name: str
    """As given to `read`."""
    format: str
    """``png``, ``webp``, ``jpeg``, ``mp4`` (also MOV), ``webm`` or ``mkv``."""
    size: int
    """Bytes of the file."""
    sha256: str
    """SHA-256 of the whole file, hexadecimal."""
    prompt: str | None
    """JSON text of what was executed, in the API format."""
    workflow: str | None
    """JSON text of what the editor showed, in the UI format."""
    damaged: bool
    """True where a checksum in the picture contradicts one of the texts."""
    notes: tuple[str, ...]
    """Remarks, such as a part that was left out and why."""


def read(name: str, *, progress: Callable[[int], None] | None = None) -> Picture:
    """The picture in a file; ``progress`` is called with how many bytes were read.

    Raises `UsageError` where the file cannot be read, and a `casstore.pictures.PictureError`:
    `UnknownPicture`, `NoWorkflow`, `BrokenPicture` or `PictureLimit`.
    """
    try:
        with _opened(name) as stream:
            before = os.fstat(stream.fileno())
            digest = _sha256(stream, before.st_size, progress)
            picture = _picture(PictureFile(stream, before.st_size, name), stream, digest)
            after = os.fstat(stream.fileno())
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}", path=name) from None
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise BrokenPicture(f"{name} changed while it was read; import it again", path=name)
    return picture


def _opened(name: str) -> BinaryIO:
    """The file, opened so that a pipe without a writer does not wait for one."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(name, flags)
    except ValueError as error:  # a NUL in the name
        raise UsageError(f"{name} cannot be read: {error}", path=name) from None
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise UsageError(f"{name} is a folder; name the pictures in it", path=name)
        if not stat.S_ISREG(mode):
            raise UsageError(f"{name} is no ordinary file; copy it into one first", path=name)
        return open(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _sha256(stream: BinaryIO, size: int, progress: Callable[[int], None] | None) -> str:
    """Of the bytes that were there at the start: a file that grows faster than it is read would
    have no end."""
    digest, done = hashlib.sha256(usedforsecurity=False), 0
    while piece := stream.read(min(_PIECE, size - done)):
        digest.update(piece)
        done += len(piece)
        if progress is not None:
            progress(done)
    return digest.hexdigest()


def _picture(file: PictureFile, stream: BinaryIO, digest: str) -> Picture:
    kind = _kind(file, stream)
    faults: list[PictureError] = []
    verdict = judge.judged(file, _until_broken(file, kind, faults))
    if verdict.prompt is None and verdict.workflow is None:
        raise faults[0] if faults else _no_workflow(file, kind)
    return Picture(
        file.name,
        kind,
        file.size,
        digest,
        verdict.prompt,
        verdict.workflow,
        verdict.damaged,
        tuple(file.notes),
    )


def _until_broken(file: PictureFile, kind: str, faults: list[PictureError]) -> Iterator[Found]:
    try:
        yield from _READERS[kind](file)
    except (BrokenPicture, PictureLimit) as fault:
        faults.append(fault)
        file.note(fault.message.removeprefix(f"{file.name} is broken: "))


def _no_workflow(file: PictureFile, kind: str) -> NoWorkflow:
    if file.notes:
        return NoWorkflow(
            f"{file.name} holds no workflow that can be used: {'; '.join(file.notes)}",
            path=file.name,
            format=kind,
        )
    return NoWorkflow(
        f"{file.name} holds no workflow: ComfyUI embeds one unless it runs with "
        f"--disable-metadata, and editors and web sites remove it; import the original file",
        path=file.name,
        format=kind,
    )


def _kind(file: PictureFile, stream: BinaryIO) -> str:
    """What the first bytes say that the file is, whatever its name ends in."""
    stream.seek(0)
    head = stream.read(16)
    if head.startswith(png.SIGNATURE):
        return PNG
    if head.startswith(jpeg.SIGNATURE):
        return JPEG
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return WEBP
    if head.startswith(matroska.SIGNATURE):
        return WEBM if matroska.is_webm(file) else MKV
    if head[4:8] in isobmff.STARTS and head[8:12] not in _STILL_BRANDS:
        return MP4
    raise _unknown(file.name, head)


def _unknown(name: str, head: bytes) -> UnknownPicture:
    if head[4:8] == b"ftyp":
        what = "an AVIF or HEIF image"
    elif head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return UnknownPicture(f"{name} is a text file; use casstore save for workflows", path=name)
    else:
        what = bytes_kind(head) or "no picture that is known"
    return UnknownPicture(f"{name} is {what}; {_READ}", path=name)
