"""Pictures made or mutated to do harm: always a picture or a typed error, in bounded time and
memory.
"""

from __future__ import annotations

import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import jsontext, pictures
from casstore.pictures import file
from tests.pictures import build, written
from tests.pictures.build import PROMPT, png, tiff, webp

SMALL = 1 << 16
PARTS = 5_000


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test can reach."""
    monkeypatch.setattr(file, "MAX_TEXT", SMALL)
    monkeypatch.setattr(file, "MAX_PARTS", PARTS)


def refused(path: Path, data: bytes) -> str:
    """The message of a picture that asks for too much, which takes next to no memory."""
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(pictures.PictureLimit) as caught:
            pictures.read(str(path))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # the piece that the hash is taken over, and what holds a text of the limit
    assert most < (1 << 20) + len(data) + 4 * SMALL
    assert (caught.value.code, caught.value.exit_code) == ("picture_limit", 2)
    return caught.value.message.removeprefix(f"{path} ")


def overlapping(count: int) -> bytes:
    """EXIF data whose tags all give the same text."""
    text = b"prompt:" + b"x" * 1000
    start = 8 + 2 + 12 * count + 4
    entries = b"".join(
        struct.pack("<HHII", 0x9000 + n, build.ASCII, len(text), start) for n in range(count)
    )
    return b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", count) + entries + bytes(4) + text


BOMB = zlib.compress(bytes(1 << 24))
LONG = b"x" * (SMALL + 1)
MANY = {
    "zTXt bomb": png(build.ztxt_chunk("prompt", BOMB)),
    "iTXt bomb": png(build.chunk(b"iTXt", b"prompt\x00\x01\x00\x00\x00" + BOMB)),
    "many zTXt": png(*[build.ztxt_chunk("prompt", zlib.compress(bytes(30_000)))] * 5),
    "long tEXt": png(build.text_chunk("prompt", LONG)),
    "many tEXt": png(*[build.text_chunk("prompt", b"x" * 30_000)] * 5),
    "long eXIf": png(build.chunk(b"eXIf", LONG)),
    "long EXIF": webp(LONG),
    "many APP1": build.jpeg(*[build.app1(b"x" * 30_000)] * 5),
    "tags on one text": webp(overlapping(200)),
    "long item": build.mp4(
        build.moov(build.keys("prompt"), build.box(b"ilst", build.item(b"\x00\x00\x00\x01", LONG)))
    ),
    "long tag": build.webm(build.tags(build.simple_tag("PROMPT", LONG.decode()))),
    "chunks": png(*[build.chunk(b"prVt", b"")] * PARTS),
    "WebP chunks": build.riff(*[(b"JUNK", b"")] * (PARTS + 1)),
    "segments": build.jpeg(*[build.segment(0xFE, b"")] * PARTS),
    "fill bytes": b"\xff\xd8" + b"\xff" * (PARTS + 2),
    "boxes": build.mp4(*[build.box(b"free", b"")] * (PARTS + 1)),
    "elements": build.webm(*[build.element(0xEC, b"")] * PARTS),
    "names": build.mp4(build.moov(build.keys(*[""] * PARTS), build.ilst(PROMPT))),
    "tags": webp(tiff(*[(1, 3, b"")] * (PARTS + 1))),
}


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize("name", MANY)
def test_what_asks_for_more_than_the_limits_is_refused(tmp_path: Path, name: str) -> None:
    message = refused(tmp_path / "picture", MANY[name])
    assert "65,536" in message or "5,000 parts" in message


@pytest.mark.usefixtures("limits")
def test_a_text_at_the_limit_is_read(tmp_path: Path) -> None:
    padding = SMALL - len("prompt\x00") - len(PROMPT)
    text = PROMPT.replace("KSampler", "K" * (padding + len("KSampler")))
    (tmp_path / "p").write_bytes(png(build.text_chunk("prompt", text)))
    assert pictures.read(str(tmp_path / "p")).prompt == text
    (tmp_path / "p").write_bytes(png(build.text_chunk("prompt", text + " ")))
    with pytest.raises(pictures.PictureLimit):
        pictures.read(str(tmp_path / "p"))


@pytest.mark.usefixtures("limits")
def test_a_bomb_behind_the_workflow_does_not_cost_the_workflow(tmp_path: Path) -> None:
    data = png(build.text_chunk("prompt", PROMPT), build.ztxt_chunk("workflow", BOMB))
    (tmp_path / "p").write_bytes(data)
    picture = pictures.read(str(tmp_path / "p"))
    assert picture.prompt == PROMPT
    assert len(picture.notes) == 1
    assert "more than 65,536 bytes" in picture.notes[0]


def test_a_large_video_is_skipped_over_not_loaded(tmp_path: Path) -> None:
    frames = 96 << 20
    with open(tmp_path / "video", "wb") as stream:
        stream.write(build.mp4(build.box(b"mdat", b"", frames + 8)))
        stream.truncate(stream.tell() + frames)
        stream.seek(0, 2)
        stream.write(build.MP4[build.MP4.index(b"moov") - 4 :])
    tracemalloc.start()
    try:
        picture = pictures.read(str(tmp_path / "video"))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert picture.prompt == PROMPT
    assert picture.size > frames
    assert most < 4 << 20


@pytest.mark.usefixtures("limits")
def test_notes_are_few_however_much_is_wrong(tmp_path: Path) -> None:
    broken = [(n, build.ASCII, b"x" * 8) for n in range(300)]
    exif = bytearray(tiff(*broken, build.ascii_entry(0x200, "prompt:" + PROMPT)))
    for n in range(300):
        struct.pack_into("<I", exif, 10 + 12 * n + 8, 2**31 + n)
    (tmp_path / "p").write_bytes(webp(bytes(exif)))
    picture = pictures.read(str(tmp_path / "p"))
    assert picture.prompt == PROMPT
    assert len(picture.notes) == 10


@pytest.mark.usefixtures("limits")
def test_tags_about_something_else_cost_nothing_of_the_limit(tmp_path: Path) -> None:
    others = [(n, build.UNDEFINED, b"x" * 25_000) for n in range(2)]
    wanted = build.ascii_entry(0x110, "prompt:" + PROMPT + " " * 14_000)
    exif = tiff(*others, wanted)
    assert SMALL - 2_000 < len(exif) < SMALL
    (tmp_path / "p").write_bytes(png(build.chunk(b"eXIf", exif), build.chunk(b"eXIf", exif)))
    picture = pictures.read(str(tmp_path / "p"))
    assert (picture.prompt, picture.notes) == (PROMPT, ())


def test_a_remark_is_made_once(tmp_path: Path) -> None:
    exif = bytearray(
        tiff(*[(7, build.ASCII, b"x" * 8)] * 3, build.ascii_entry(8, "prompt:" + PROMPT))
    )
    for n in range(3):
        struct.pack_into("<I", exif, 10 + 12 * n + 8, 2**31)
    (tmp_path / "p").write_bytes(webp(bytes(exif)))
    assert len(pictures.read(str(tmp_path / "p")).notes) == 1


# Mutations

REAL = (written.COMFYUI_MP4, written.VHS_2023_MOV, written.COMFYUI_WEBM, written.LIVE_WEBM)
SEEDS = (
    *build.ALL.values(),
    *REAL,
    png(build.itxt_chunk("workflow", build.WORKFLOW, compressed=True)),
    png(build.ztxt_chunk("prompt", zlib.compress(PROMPT.encode()))),
    webp(tiff(exif=[(0x9286, 7, b"UNICODE\x00" + build.BOTH.encode("utf-16-be"))], order=">")),
)
EXTREMES = (b"\x00" * 4, b"\xff" * 4, b"\x7f\xff\xff\xff", b"\x00\x00\x00\x01", b"\x80\x00\x00\x00")


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good picture with some of its bytes changed, left out, repeated or cut off."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        how = draw(st.sampled_from(("byte", "number", "leave out", "repeat", "insert", "cut")))
        if how == "byte":
            data[at : at + 1] = draw(st.binary(min_size=1, max_size=1))
        elif how == "number":
            data[at : at + 4] = draw(st.sampled_from(EXTREMES))
        elif how == "leave out":
            del data[at : at + draw(st.integers(1, 40))]
        elif how == "repeat":
            data[at:at] = data[at : at + draw(st.integers(1, 300))]
        elif how == "insert":
            data[at:at] = draw(st.binary(max_size=40))
        else:
            del data[at:]
    return bytes(data)


def _answer(name: str) -> pictures.Picture | pictures.PictureError:
    try:
        return pictures.read(name)
    except pictures.PictureError as error:
        return error


def _examined(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    tracemalloc.start()
    try:
        answer = _answer(str(path))
        if isinstance(answer, pictures.PictureError):
            assert answer.message.startswith(str(path))
            assert answer.details["path"] == str(path)
        else:
            texts = [text for text in (answer.prompt, answer.workflow) if text is not None]
            assert texts
            for text in texts:
                assert isinstance(jsontext.loads(text), dict)
        # the piece that the hash is taken over, and little more
        assert tracemalloc.get_traced_memory()[1] < 3 << 20
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mutated") / "picture"


@given(data=mutated())
def test_a_mutated_picture_gives_a_picture_or_a_typed_error(scratch: Path, data: bytes) -> None:
    _examined(scratch, data)


@given(data=st.binary(max_size=300), start=st.sampled_from([seed[:12] for seed in SEEDS]))
def test_any_bytes_behind_a_good_start(scratch: Path, data: bytes, start: bytes) -> None:
    _examined(scratch, start + data)


@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_a_picture_cut_off_anywhere(scratch: Path, number: int) -> None:
    for length in range(0, len(SEEDS[number]), 7):
        _examined(scratch, SEEDS[number][:length])
