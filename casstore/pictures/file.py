"""`PictureFile`: the bytes of a picture, never more than its limits allow and never past its end.

A length that a picture gives is compared with what the file holds before anything is read, so a
forged one costs nothing.
"""

from __future__ import annotations

from casstore.pictures.errors import BrokenPicture, PictureLimit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

MAX_TEXT = 64 * 1024 * 1024
"""Bytes of embedded text taken from one picture, counted after inflating. The largest published
workflow template is 4.6 MB; ComfyUI's editor reads no further than 64 MiB into an MP4."""

MAX_PARTS = 1_000_000
"""Chunks, segments, boxes or elements looked at in one picture. A PNG of 2 GB in chunks of 8 KiB,
which is how libpng writes, has 262,144. Walking over a million takes 1 to 3 seconds."""

MAX_NOTES = 10
"""Remarks kept about one picture: a broken one can give reason for one per entry."""


class PictureFile:
    """A picture being read. ``name`` is what messages call it."""

    def __init__(self, stream: BinaryIO, size: int, name: str) -> None:
        self._stream = stream
        self.size = size
        self.name = name
        self.notes: list[str] = []
        """Remarks for people, as sentences about the picture without a full stop."""
        self._parts = 0
        self._text = 0

    def exactly(self, at: int, count: int, what: str) -> bytes:
        """Exactly ``count`` bytes. Raises `BrokenPicture` where ``what`` is cut off."""
        if at + count > self.size:
            raise self.broken(f"{what} at byte {at:,} is cut off")
        self._stream.seek(at)
        data = self._stream.read(count)
        if len(data) != count:
            raise self.broken("it became shorter while it was read")
        return data

    def block(self, at: int, count: int, what: str) -> bytes:
        """The same for a part whose length the picture says: raises `PictureLimit` above
        `MAX_TEXT`."""
        if at + count <= self.size and count > MAX_TEXT:
            raise PictureLimit(
                f"{self.name} holds {what} of {count:,} bytes; at most {MAX_TEXT:,} are read",
                path=self.name,
                limit=MAX_TEXT,
            )
        return self.exactly(at, count, what)

    def text(self, at: int, count: int, what: str) -> bytes:
        """A `block` that holds text, which counts towards `MAX_TEXT`."""
        data = self.block(at, count, what)
        self.spend(count)
        return data

    @property
    def left(self) -> int:
        """Bytes of text that may still be taken."""
        return MAX_TEXT - self._text

    def spend(self, count: int) -> None:
        """Counts bytes of text. Raises `PictureLimit` above `MAX_TEXT`."""
        if count > self.left:
            raise PictureLimit(
                f"{self.name} holds more than {MAX_TEXT:,} bytes of workflow text, which is all "
                f"that is read of one picture",
                path=self.name,
                limit=MAX_TEXT,
            )
        self._text += count

    def step(self) -> None:
        """Counts a part. Raises `PictureLimit` above `MAX_PARTS`."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise PictureLimit(
                f"{self.name} has more than {MAX_PARTS:,} parts, which is all that are looked at",
                path=self.name,
                limit=MAX_PARTS,
            )

    def note(self, remark: str) -> None:
        """Keeps a remark, up to `MAX_NOTES`."""
        if len(self.notes) < MAX_NOTES and remark not in self.notes:
            self.notes.append(remark)

    def broken(self, what: str) -> BrokenPicture:
        """The error to raise where reading on makes no sense."""
        return BrokenPicture(f"{self.name} is broken: {what}", path=self.name)
