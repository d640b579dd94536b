"""Builds pictures byte by byte, right and wrong ones."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable

PROMPT = '{"3": {"class_type": "KSampler", "inputs": {"seed": 7, "cfg": 8.0, "b": 1, "a": 2}}}'
WORKFLOW = '{"nodes": [{"id": 3, "type": "Kämpfer"}], "links": [], "version": 0.4}'
BOTH = json.dumps({"prompt": json.loads(PROMPT), "workflow": json.loads(WORKFLOW)})


# PNG


def chunk(kind: bytes, data: bytes, crc: int | None = None) -> bytes:
    real = zlib.crc32(kind + data)
    return (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", real if crc is None else crc)
    )


HEADER = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\x00\x00"))
END = chunk(b"IEND", b"")


def png(*before: bytes, after: Iterable[bytes] = (), end: bytes = END) -> bytes:
    """A PNG of one pixel with chunks before and after the pixels."""
    return b"".join((b"\x89PNG\r\n\x1a\n", HEADER, *before, PIXELS, *after, end))


def text_chunk(keyword: str, text: bytes | str) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return chunk(b"tEXt", keyword.encode() + b"\x00" + data)


def ztxt_chunk(keyword: str, data: bytes, method: int = 0) -> bytes:
    return chunk(b"zTXt", keyword.encode() + b"\x00" + bytes([method]) + data)


def itxt_chunk(keyword: str, text: str, *, compressed: bool) -> bytes:
    data = zlib.compress(text.encode()) if compressed else text.encode()
    head = keyword.encode() + b"\x00" + bytes([compressed, 0]) + b"de\x00" + b"Eingabe"
    return chunk(b"iTXt", head + b"\x00" + data)


# EXIF in its containers

ASCII, LONG, UNDEFINED, UTF8 = 2, 4, 7, 129
MODEL, MAKE, DESCRIPTION, COMMENT, EXIF_DIRECTORY = 0x0110, 0x010F, 0x010E, 0x9286, 0x8769

Entry = tuple[int, int, bytes]


def tiff(*entries: Entry, exif: Iterable[Entry] = (), order: str = "<") -> bytes:
    """EXIF data: a directory, and a second one where ``exif`` has entries."""
    first = [*entries]
    inner = [*exif]
    start = 8
    size = 2 + 12 * (len(first) + bool(inner)) + 4
    inner_at = start + size
    inner_size = 2 + 12 * len(inner) + 4 if inner else 0
    values = bytearray()
    values_at = inner_at + inner_size

    def directory(items: list[Entry], pointer: bool) -> bytes:
        made = struct.pack(order + "H", len(items) + pointer)
        for tag, kind, value in items:
            made += struct.pack(order + "HHII", tag, kind, len(value), values_at + len(values))
            values.extend(value)
        if pointer:
            made += struct.pack(order + "HHII", EXIF_DIRECTORY, LONG, 1, inner_at)
        return made + b"\x00\x00\x00\x00"

    head = (b"II*\x00" if order == "<" else b"MM\x00*") + struct.pack(order + "I", start)
    body = directory(first, bool(inner))
    return head + body + (directory(inner, False) if inner else b"") + bytes(values)


def ascii_entry(tag: int, text: str) -> Entry:
    return tag, ASCII, text.encode() + b"\x00"


EXIF = tiff(ascii_entry(MAKE, "workflow:" + WORKFLOW), ascii_entry(MODEL, "prompt:" + PROMPT))
"""As ComfyUI writes it."""


def riff(*chunks: tuple[bytes, bytes], length: int | None = None) -> bytes:
    body = b"WEBP"
    for kind, data in chunks:
        body += kind + struct.pack("<I", len(data)) + data + b"\x00" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body) if length is None else length) + body


def webp(exif: bytes) -> bytes:
    return riff((b"VP8L", b"\x2f\x00\x00\x00\x00\x88\x88\x08\x00"), (b"EXIF", exif))


def segment(marker: int, data: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(*segments: bytes) -> bytes:
    scan = segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + b"\x12\xff\x00\x34\xff\xd9"
    return b"".join((b"\xff\xd8", segment(0xE0, b"JFIF\x00\x01\x01"), *segments, scan))


def app1(exif: bytes) -> bytes:
    return segment(0xE1, b"Exif\x00\x00" + exif)


# MP4


def box(kind: bytes, data: bytes, size: int | None = None) -> bytes:
    return struct.pack(">I", len(data) + 8 if size is None else size) + kind + data


def keys(*names: str) -> bytes:
    items = b"".join(box(b"mdta", name.encode()) for name in names)
    return box(b"keys", struct.pack(">II", 0, len(names)) + items)


def item(kind: bytes, text: bytes, value_type: int = 1) -> bytes:
    return box(kind, box(b"data", struct.pack(">II", value_type, 0) + text))


def ilst(*texts: str) -> bytes:
    items = (item(struct.pack(">I", n), t.encode()) for n, t in enumerate(texts, 1))
    return box(b"ilst", b"".join(items))


HANDLER = box(b"hdlr", bytes(8) + b"mdta" + bytes(13))


def mp4(*boxes: bytes) -> bytes:
    return box(b"ftyp", b"isom\x00\x00\x02\x00isomiso2") + b"".join(boxes)


def moov(*meta: bytes, version: bytes = bytes(4)) -> bytes:
    return box(
        b"moov", box(b"mvhd", bytes(100)) + box(b"udta", box(b"meta", version + b"".join(meta)))
    )


MP4 = mp4(
    box(b"mdat", b"frames"),
    moov(HANDLER, keys("prompt", "workflow"), ilst(PROMPT, WORKFLOW)),
)


# WebM


def element(kind: int, data: bytes, size: bytes | None = None) -> bytes:
    head = kind.to_bytes((kind.bit_length() + 7) // 8, "big")
    return head + (size if size is not None else (len(data) | 1 << 56).to_bytes(8, "big")) + data


UNKNOWN = b"\x01" + b"\xff" * 7


def simple_tag(name: str, text: str) -> bytes:
    return element(0x67C8, element(0x45A3, name.encode()) + element(0x4487, text.encode()))


def tags(*simple: bytes) -> bytes:
    return element(0x1254C367, element(0x7373, element(0x63C0, b"") + b"".join(simple)))


def webm(*parts: bytes, doctype: bytes = b"webm", size: bytes | None = None) -> bytes:
    header = element(0x1A45DFA3, element(0x4282, doctype))
    return header + element(0x18538067, b"".join(parts), size)


CLUSTER = element(0x1F43B675, element(0xE7, b"\x00") + element(0xA3, b"frame"))
WEBM = webm(tags(simple_tag("PROMPT", PROMPT), simple_tag("WORKFLOW", WORKFLOW)), CLUSTER)

PNG = png(text_chunk("prompt", PROMPT), text_chunk("workflow", WORKFLOW))
WEBP = webp(EXIF)
JPEG = jpeg(app1(EXIF))

ALL = {"png": PNG, "webp": WEBP, "jpeg": JPEG, "mp4": MP4, "webm": WEBM}
"""One good picture of each format, with `PROMPT` and `WORKFLOW`."""
