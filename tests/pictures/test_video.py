"""MP4, MOV, WebM and MKV: real files of FFmpeg, and layouts that it does not write here."""

from __future__ import annotations

import struct

import pytest

from casstore import pictures
from tests.pictures import build, written
from tests.pictures.build import (
    BOTH,
    CLUSTER,
    HANDLER,
    PROMPT,
    UNKNOWN,
    WORKFLOW,
    box,
    element,
    ilst,
    item,
    keys,
    moov,
    mp4,
    simple_tag,
    tags,
    webm,
)
from tests.pictures.conftest import Read


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("COMFYUI_MP4", "mp4"),
        ("VHS_MP4", "mp4"),
        ("COMFYUI_WEBM", "webm"),
        ("LIVE_WEBM", "webm"),
        ("MKV", "mkv"),
    ],
)
def test_real_files_give_the_exact_texts(read: Read, name: str, kind: str) -> None:
    picture = read(getattr(written, name))
    assert (picture.prompt, picture.workflow) == (written.PROMPT, written.WORKFLOW)
    assert (picture.format, picture.notes) == (kind, ())


@pytest.mark.parametrize("name", ["VHS_2023_MP4", "VHS_2023_MOV", "VHS_2023_WEBM"])
def test_real_files_of_2023_have_both_in_the_comment(read: Read, name: str) -> None:
    picture = read(getattr(written, name))
    assert picture.prompt == written.PROMPT  # a string in the object, so kept to the byte
    assert picture.workflow == written.WORKFLOW.replace(", ", ",").replace(": ", ":")
    assert picture.notes == ()


DATA = box(b"mdat", b"frames")
META = (HANDLER, keys("prompt", "workflow"), ilst(PROMPT, WORKFLOW))
LAYOUTS = {
    "metadata first": mp4(moov(*META), DATA),
    "metadata last": mp4(DATA, moov(*META)),
    "names behind the items": mp4(moov(HANDLER, META[2], META[1])),
    "meta without version": mp4(moov(*META, version=b"")),
    "64-bit length": mp4(
        struct.pack(">I4sQ", 1, b"mdat", 22) + b"frames", moov(HANDLER, *META[1:])
    ),
    "length up to the end": mp4(DATA, struct.pack(">I", 0) + moov(*META)[4:]),
    "udta outside moov": mp4(box(b"udta", box(b"meta", bytes(4) + b"".join(META)))),
    "meta outside udta": mp4(box(b"moov", box(b"meta", bytes(4) + b"".join(META)))),
    "no ftyp": DATA + moov(*META),
    "padding in udta": mp4(
        box(b"moov", box(b"udta", box(b"meta", bytes(4) + b"".join(META)) + bytes(12)))
    ),
    "capitals": mp4(moov(HANDLER, keys("PROMPT", "Workflow"), META[2])),
    "an item without a name": mp4(
        moov(HANDLER, META[1], box(b"ilst", item(b"\x00\x00\x00\x09", b"x") + META[2][8:]))
    ),
}


@pytest.mark.parametrize("data", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_mp4_in_every_layout(read: Read, data: bytes) -> None:
    picture = read(data)
    assert (picture.prompt, picture.workflow) == (PROMPT, WORKFLOW)
    assert (picture.format, picture.notes) == ("mp4", ())


def test_mp4_text_in_utf_16(read: Read) -> None:
    text = item(b"\x00\x00\x00\x01", WORKFLOW.encode("utf-16-be"), 2)
    assert read(mp4(moov(HANDLER, keys("workflow"), box(b"ilst", text)))).workflow == WORKFLOW


def test_a_comment_named_by_keys(read: Read) -> None:
    assert read(mp4(moov(HANDLER, keys("comment"), ilst(BOTH)))).prompt is not None


@pytest.mark.parametrize("length", [1_000, 65_535, 65_536, 200_000])
def test_quicktime_comments_beyond_what_their_length_can_say(read: Read, length: int) -> None:
    text = PROMPT.replace("KSampler", "K" * length).encode()
    comment = box(b"\xa9cmt", struct.pack(">HH", len(text) % 65_536, 0) + text)
    picture = read(mp4(box(b"moov", box(b"udta", comment))))
    assert picture.prompt == text.decode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (mp4(box(b"mdat", b"x", 999)), "the mdat box at byte 24 is cut off"),
        (mp4(box(b"mdat", b"xx", 7)), "the box at byte 24 gives the length 7"),
        (mp4(struct.pack(">I4sQ", 1, b"mdat", 2**63)), "the mdat box at byte 24 is cut off"),
        (mp4(moov(HANDLER, box(b"ilst", b"x", 99))), "the ilst box at byte 193 is cut off"),
    ],
    ids=["too long", "too short", "64 bits", "inside"],
)
def test_a_broken_mp4_is_named(read: Read, data: bytes, message: str) -> None:
    with pytest.raises(pictures.BrokenPicture) as caught:
        read(data)
    assert caught.value.message == f"picture.bin is broken: {message}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (mp4(DATA), "it has no moov box"),
        (mp4(moov()), "holds no workflow: ComfyUI embeds"),
        (mp4(moov(HANDLER)), "holds no workflow: ComfyUI embeds"),
        (mp4(moov(HANDLER, ilst(PROMPT))), "holds no workflow: ComfyUI embeds"),
        (mp4(moov(HANDLER, box(b"keys", b"x"), ilst(PROMPT))), "holds no workflow: ComfyUI"),
        (
            mp4(moov(HANDLER, box(b"keys", bytes(7) + b"\x01" + bytes(8)), ilst(PROMPT))),
            "its list of metadata names (keys box) is broken",
        ),
        (mp4(moov(HANDLER, keys("prompt"), box(b"ilst", box(bytes(3) + b"\x01", b"")))), "embeds"),
    ],
    ids=["no moov", "empty", "no items", "no names", "short names", "names", "no data"],
)
def test_an_mp4_without_a_workflow_says_so(read: Read, data: bytes, message: str) -> None:
    with pytest.raises(pictures.NoWorkflow) as caught:
        read(data)
    assert message in caught.value.message


TAGS = tags(simple_tag("PROMPT", PROMPT), simple_tag("WORKFLOW", WORKFLOW))
OPEN_CLUSTER = element(0x1F43B675, element(0xE7, b"\x00") + element(0xA3, b"frame"), UNKNOWN)
WEBMS = {
    "tags first": webm(TAGS, CLUSTER),
    "tags last": webm(CLUSTER, CLUSTER, TAGS),
    "lengths unknown": webm(OPEN_CLUSTER, OPEN_CLUSTER, TAGS, size=UNKNOWN),
    "other tags first": webm(tags(simple_tag("ENCODER", "Lavf")), CLUSTER, TAGS),
    "small letters": webm(tags(simple_tag("prompt", PROMPT), simple_tag("workflow", WORKFLOW))),
    "texts end in NUL": webm(
        tags(simple_tag("PROMPT", PROMPT + "\x00"), simple_tag("WORKFLOW\x00", WORKFLOW + "\x00"))
    ),
}


@pytest.mark.parametrize("data", WEBMS.values(), ids=WEBMS.keys())
def test_webm_in_every_layout(read: Read, data: bytes) -> None:
    picture = read(data)
    assert (picture.prompt, picture.workflow) == (PROMPT, WORKFLOW)
    assert (picture.format, picture.notes) == ("webm", ())


@pytest.mark.parametrize("doctype", [b"matroska", b"", b"webm" * 20])
def test_what_does_not_say_webm_is_matroska(read: Read, doctype: bytes) -> None:
    assert read(webm(TAGS, doctype=doctype)).format == "mkv"


def test_what_is_behind_the_tags_does_not_matter(read: Read) -> None:
    data = webm(TAGS, CLUSTER)[:-3]
    picture = read(data)
    assert picture.prompt == PROMPT
    assert picture.notes == ("it is shorter than it says",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (webm(CLUSTER)[:-1], "the element at byte 38 is cut off"),
        (webm(b"\x00"), "there is no element at byte 38"),
        (webm(b"\x1a"), "the element at byte 38 is cut off"),
        (webm(element(0xEC, b"", UNKNOWN)), "the element at byte 38 does not say how long it is"),
    ],
    ids=["cluster", "id", "id cut", "open"],
)
def test_a_broken_webm_is_named(read: Read, data: bytes, message: str) -> None:
    with pytest.raises(pictures.BrokenPicture) as caught:
        read(data)
    assert caught.value.message == f"picture.bin is broken: {message}"


def test_every_format_of_the_builder_is_good(read: Read) -> None:
    for kind, data in build.ALL.items():
        picture = read(data)
        assert (picture.format, picture.prompt, picture.workflow) == (kind, PROMPT, WORKFLOW)
