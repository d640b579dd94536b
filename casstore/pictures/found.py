"""`Found`: one piece of text that stood in a picture, on its way from a reader to the judge."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from casstore._namedtuple import NamedTuple

PROMPT = "prompt"
"""The name under which ComfyUI writes what it executed (API format)."""
WORKFLOW = "workflow"
"""The name under which ComfyUI writes what its editor showed (UI format)."""
UNNAMED = ""
"""Metadata without one of the names: the text itself must tell."""

NUL = b"\x00"


class Found(NamedTuple):
    """A text and where it stood."""

    label: str
    """`PROMPT`, `WORKFLOW` or `UNNAMED`."""
    text: str
    place: str
    """For messages, such as ``tEXt chunk at byte 33``."""
    damaged: bool = False
    """True where a checksum says that the text is not what was written."""


def label_of(name: str) -> str | None:
    """The label for a name of metadata. Save nodes write it in any case, and FFmpeg's Matroska
    writer in capitals."""
    name = name.lower()
    return name if name in (PROMPT, WORKFLOW) else None


def decoded(data: bytes) -> str:
    """The text in bytes: UTF-8 where they are valid UTF-8, else Latin-1, which all bytes are.

    Python's ``json.dumps`` writes ASCII, where both are the same. Browsers write UTF-8 also
    where PNG asks for Latin-1 (``tEXt``), and ComfyUI's editor reads UTF-8 there.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
