"""PNG: every kind of text chunk, wherever it stands, and what a wrong one leads to."""

from __future__ import annotations

import zlib

import pytest

from casstore import pictures
from tests.pictures import build
from tests.pictures.build import PROMPT, WORKFLOW, chunk, png, text_chunk
from tests.pictures.conftest import Read

CHUNKS = {
    "tEXt": text_chunk("workflow", WORKFLOW),
    "tEXt in Latin-1": text_chunk("workflow", WORKFLOW.encode("latin-1")),
    "zTXt": build.ztxt_chunk("workflow", zlib.compress(WORKFLOW.encode())),
    "zTXt in Latin-1": build.ztxt_chunk("workflow", zlib.compress(WORKFLOW.encode("latin-1"))),
    "iTXt": build.itxt_chunk("workflow", WORKFLOW, compressed=False),
    "iTXt compressed": build.itxt_chunk("workflow", WORKFLOW, compressed=True),
    "comf": chunk(b"comf", b"workflow\x00" + WORKFLOW.encode()),
    "eXIf": chunk(b"eXIf", build.EXIF),
    "a keyword in capitals": text_chunk("Workflow", WORKFLOW),
}


@pytest.mark.parametrize("data", CHUNKS.values(), ids=CHUNKS.keys())
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_text_is_read_from_every_chunk_before_and_after_the_pixels(
    read: Read, data: bytes, after: bool
) -> None:
    picture = read(png(after=[data]) if after else png(data))
    assert picture.workflow == WORKFLOW
    assert (picture.format, picture.damaged, picture.notes) == ("png", False, ())


def test_prompt_and_workflow_come_exactly_as_embedded(read: Read) -> None:
    prompt = '{"3":{"class_type":"X","inputs":{"n":18446744073709552000}, "is_changed":NaN}} '
    picture = read(png(text_chunk("prompt", prompt), text_chunk("workflow", WORKFLOW)))
    assert picture.prompt == prompt.rstrip()
    assert picture.workflow == WORKFLOW


def test_the_last_of_two_counts_and_a_note_says_so(read: Read) -> None:
    other = PROMPT.replace("7", "8")
    picture = read(png(text_chunk("prompt", PROMPT), text_chunk("prompt", other)))
    assert picture.prompt == other
    assert picture.notes == ("it holds more than one prompt; the last one counts",)


def test_the_same_text_twice_needs_no_note(read: Read) -> None:
    assert read(png(text_chunk("prompt", PROMPT), after=[text_chunk("prompt", PROMPT)])).notes == ()


def test_a_wrong_checksum_is_told_and_recorded(read: Read) -> None:
    data = b"prompt\x00" + PROMPT.encode()
    picture = read(png(chunk(b"tEXt", data, crc=1)))
    assert picture.prompt == PROMPT
    assert picture.damaged
    assert picture.notes == (
        "the checksum of its prompt (tEXt chunk at byte 33) is wrong, so the text may have been "
        "changed",
    )


def test_chunks_of_other_keywords_are_not_even_inflated(read: Read) -> None:
    other = build.ztxt_chunk("parameters", b"no zlib at all")
    assert read(png(other, text_chunk("prompt", PROMPT))).notes == ()


WRONG = {
    "no zlib": (build.ztxt_chunk("prompt", b"nonsense"), "cannot be inflated"),
    "changed zlib": (
        build.ztxt_chunk("prompt", zlib.compress(PROMPT.encode())[:-1] + b"?"),
        "cannot be inflated: Error -3",
    ),
    "cut zlib": (
        build.ztxt_chunk("prompt", zlib.compress(PROMPT.encode())[:-6]),
        "is cut off inside its compressed text",
    ),
    "method": (
        build.ztxt_chunk("prompt", zlib.compress(PROMPT.encode()), 1),
        "is compressed by a method that PNG does not know",
    ),
    "iTXt": (chunk(b"iTXt", b"prompt\x00\x00\x00de"), "is not laid out as an iTXt chunk"),
    "no JSON": (text_chunk("prompt", PROMPT[:-1]), "is not valid JSON: Expecting"),
}


@pytest.mark.parametrize(("data", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_text_is_left_out_and_the_other_is_kept(
    read: Read, data: bytes, message: str
) -> None:
    picture = read(png(data, text_chunk("workflow", WORKFLOW)))
    assert picture.prompt is None
    assert picture.workflow == WORKFLOW
    assert len(picture.notes) == 1
    assert picture.notes[0].startswith("its prompt (")
    assert message in picture.notes[0]


@pytest.mark.parametrize(("data", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_text_alone_is_an_error_that_says_why(
    read: Read, data: bytes, message: str
) -> None:
    with pytest.raises(pictures.NoWorkflow) as caught:
        read(png(data))
    assert caught.value.message.startswith("picture.bin holds no workflow that can be used: its ")
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (png()[:-12], "a chunk at byte 55 is cut off"),
        (png()[:-3], "the IEND chunk at byte 55 is cut off"),
        (png()[:40], "a chunk at byte 33 is cut off"),
        (png(b"\xff\xff\xff\xfftEXtprompt\x00{}"), "the tEXt chunk at byte 33 is cut off"),
        (png(bytes(12)), "there is no chunk at byte 33"),
    ],
    ids=["no end", "end cut", "head cut", "length", "type"],
)
def test_a_broken_file_is_an_error_or_a_note_behind_a_workflow(
    read: Read, data: bytes, message: str
) -> None:
    with pytest.raises(pictures.BrokenPicture) as caught:
        read(data)
    assert caught.value.message == f"picture.bin is broken: {message}"
    extra = text_chunk("prompt", PROMPT)
    picture = read(data[:33] + extra + data[33:])
    assert picture.prompt == PROMPT
    assert len(picture.notes) == 1
    assert picture.notes[0].split(" at byte")[0] == message.split(" at byte")[0]


def test_what_follows_the_end_is_not_read(read: Read) -> None:
    with pytest.raises(pictures.NoWorkflow):
        read(png() + text_chunk("prompt", PROMPT))
