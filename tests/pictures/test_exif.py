"""EXIF in WebP and JPEG: the tags of ComfyUI and of its save nodes, right and wrong."""

from __future__ import annotations

import struct

import pytest

from casstore import pictures
from tests.pictures import build
from tests.pictures.build import (
    BOTH,
    COMMENT,
    DESCRIPTION,
    MAKE,
    MODEL,
    PROMPT,
    UNDEFINED,
    WORKFLOW,
    app1,
    ascii_entry,
    jpeg,
    riff,
    segment,
    tiff,
    webp,
)
from tests.pictures.conftest import Read

COMPACT = '{"3":{"class_type":"KSampler","inputs":{"seed":7,"cfg":8.0,"b":1,"a":2}}}'

EXIFS = {
    "ComfyUI": build.EXIF,
    "big-endian": tiff(
        ascii_entry(MAKE, "workflow:" + WORKFLOW), ascii_entry(MODEL, "prompt:" + PROMPT), order=">"
    ),
    "Save as WebP": tiff(
        ascii_entry(DESCRIPTION, "Workflow: " + WORKFLOW), ascii_entry(MAKE, "Prompt:" + PROMPT)
    ),
    "Latin-1": tiff(
        (MAKE, build.ASCII, b"workflow:" + WORKFLOW.encode("latin-1") + b"\x00"),
        ascii_entry(MODEL, "prompt:" + PROMPT),
    ),
    "UTF-8 type": tiff(
        (MAKE, build.UTF8, b"workflow:" + WORKFLOW.encode()), ascii_entry(MODEL, "prompt:" + PROMPT)
    ),
    "in the Exif directory": tiff(
        exif=[ascii_entry(MAKE, "workflow:" + WORKFLOW), ascii_entry(MODEL, "prompt:" + PROMPT)]
    ),
}


@pytest.mark.parametrize("exif", EXIFS.values(), ids=EXIFS.keys())
@pytest.mark.parametrize("kind", ["webp", "jpeg"])
def test_named_texts_are_read(read: Read, exif: bytes, kind: str) -> None:
    picture = read(webp(exif) if kind == "webp" else jpeg(app1(exif)))
    assert (picture.prompt, picture.workflow) == (PROMPT, WORKFLOW)
    assert (picture.format, picture.notes) == (kind, ())


COMMENTS = {
    "plain": BOTH.encode(),
    "ASCII": b"ASCII\x00\x00\x00" + BOTH.encode(),
    "undefined": bytes(8) + BOTH.encode(),
    "UTF-16, big-endian": b"UNICODE\x00" + BOTH.encode("utf-16-be"),
    "UTF-16, little-endian": b"UNICODE\x00" + BOTH.encode("utf-16-le"),
    "UTF-16 with its mark": b"UNICODE\x00\xfe\xff" + BOTH.encode("utf-16-be"),
}


@pytest.mark.parametrize("value", COMMENTS.values(), ids=COMMENTS.keys())
def test_a_user_comment_holds_both_as_one_object(read: Read, value: bytes) -> None:
    picture = read(webp(tiff(exif=[(COMMENT, UNDEFINED, value)])))
    assert picture.prompt == COMPACT
    assert picture.workflow == WORKFLOW.replace(": ", ":").replace(", ", ",")


def test_a_user_comment_may_hold_one_document(read: Read) -> None:
    assert read(webp(tiff(ascii_entry(COMMENT, PROMPT)))).prompt == PROMPT
    assert read(webp(tiff(ascii_entry(COMMENT, "prompt: " + PROMPT)))).prompt == PROMPT


def test_other_comments_are_passed_over(read: Read) -> None:
    entries = [
        ascii_entry(DESCRIPTION, "prompt of a camera"),
        ascii_entry(0x0131, "{not JSON"),
        ascii_entry(0x013B, '{"artist": "somebody"}'),
        (COMMENT, UNDEFINED, b"UNICODE\x00" + "Steps: 20".encode("utf-16-be")),
    ]
    picture = read(webp(tiff(*entries, ascii_entry(MODEL, "prompt:" + PROMPT))))
    assert (picture.prompt, picture.workflow, picture.notes) == (PROMPT, None, ())


def test_webp_with_the_prefix_of_jpeg_is_read(read: Read) -> None:
    assert read(webp(b"Exif\x00\x00" + build.EXIF)).prompt == PROMPT


def test_webp_whose_header_gives_another_length_is_read(read: Read) -> None:
    assert read(riff((b"EXIF", build.EXIF), length=4)).prompt == PROMPT
    for rest in (b"rest", b"a longer rest"):
        assert read(riff((b"EXIF", build.EXIF), length=4) + rest).notes == ()
    picture = read(riff((b"EXIF", build.EXIF), length=10_000))
    assert picture.prompt == PROMPT
    assert picture.notes[0].startswith("it ends 9,")


def test_jpeg_segments_put_together_give_exif_above_64_kb(read: Read) -> None:
    long = PROMPT.replace("KSampler", "K" * 100_000)
    exif = tiff(ascii_entry(MODEL, "prompt:" + long))
    parts = [app1(exif[at : at + 60_000]) for at in range(0, len(exif), 60_000)]
    assert read(jpeg(*parts)).prompt == long


def test_jpeg_segments_of_others_and_fill_bytes_are_passed_over(read: Read) -> None:
    xmp = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\x00<x/>")
    picture = read(jpeg(xmp, b"\xff\xff" + app1(build.EXIF), b"\xff\x01", segment(0xFE, b"hello")))
    assert (picture.prompt, picture.notes) == (PROMPT, ())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xd8\xff\xe1\xff\xffExif", "the segment at byte 2 is cut off"),
        (b"\xff\xd8\xff\xe1\x00\x01", "the segment at byte 2 gives the length 1"),
        (b"\xff\xd8\xff\xe0\x00\x02\x00\x00", "there is no segment at byte 6"),
        (b"\xff\xd8\xff\xe0\x00\x02", "a segment at byte 6 is cut off"),
        (webp(build.EXIF)[:-4], "the EXIF chunk at byte 30 is cut off"),
        (webp(build.EXIF)[:33], "a chunk at byte 30 is cut off"),
    ],
    ids=["segment", "length", "marker", "end", "chunk", "head"],
)
def test_a_broken_container_is_named(read: Read, data: bytes, message: str) -> None:
    with pytest.raises(pictures.BrokenPicture) as caught:
        read(data)
    assert caught.value.message == f"picture.bin is broken: {message}"


def test_a_jpeg_cut_off_behind_its_exif_gives_the_workflow_and_a_note(read: Read) -> None:
    data = jpeg(app1(build.EXIF), segment(0xE2, b"profile"))
    picture = read(data[: data.index(b"profile") + 3])
    assert picture.prompt == PROMPT
    assert picture.notes[0].endswith(" is cut off")


def _outside() -> bytes:
    exif = bytearray(tiff(ascii_entry(MODEL, "prompt:" + PROMPT)))
    struct.pack_into("<I", exif, 10 + 8, 2**32 - 1)
    return bytes(exif)


BROKEN = {
    "order": (b"XX*\x00\x08\x00\x00\x00", "does not start as TIFF"),
    "nothing": (b"II*\x00", "does not start as TIFF"),
    "directory outside": (b"II*\x00\xff\xff\xff\xff", "points outside itself"),
    "directory cut": (b"II*\x00\x08\x00\x00\x00\x05\x00" + bytes(30), "is cut off inside a"),
    "value outside": (_outside(), "tag 0x0110 (EXIF chunk at byte 30) points outside the EXIF"),
    "UTF-16": (
        tiff((COMMENT, UNDEFINED, b"UNICODE\x00{\x00\xd8\x00\xd8")),
        "tag 0x9286 (EXIF chunk at byte 30) is no text in the encoding that it names",
    ),
    "no JSON": (tiff(ascii_entry(MODEL, "prompt:{")), "its prompt (EXIF tag 0x0110) is not valid"),
}


@pytest.mark.parametrize(("exif", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_exif_says_what_is_wrong(read: Read, exif: bytes, message: str) -> None:
    with pytest.raises(pictures.NoWorkflow) as caught:
        read(webp(exif))
    assert message in caught.value.message


def test_directories_that_name_each_other_are_read_once(read: Read) -> None:
    pointer = struct.pack("<HHII", build.EXIF_DIRECTORY, build.LONG, 1, 8)
    exif = b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 3) + pointer * 3
    with pytest.raises(pictures.NoWorkflow):
        read(webp(exif))
