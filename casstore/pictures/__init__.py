"""Reads the workflows that ComfyUI embeds in its outputs: PNG, WebP, JPEG, MP4, WebM, Matroska.

    from casstore import pictures

    picture = pictures.read("output/ComfyUI_00001_.png")
    picture.prompt, picture.workflow    # JSON texts, exactly as embedded

The readers are casstore's own and use the standard library alone; ``docs/pictures.md`` says why,
with the figures. They read headers and skip pixels and frames, so a video of gigabytes costs the
reading of its bytes for the SHA-256 and next to no memory.
"""

from __future__ import annotations

from casstore.pictures.errors import (
    BrokenPicture,
    NoWorkflow,
    PictureError,
    PictureLimit,
    UnknownPicture,
)
from casstore.pictures.reading import Picture, read

__all__ = [
    "BrokenPicture",
    "NoWorkflow",
    "Picture",
    "PictureError",
    "PictureLimit",
    "UnknownPicture",
    "read",
]
