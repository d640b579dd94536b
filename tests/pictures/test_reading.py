"""From a file's name to its picture: what the file is, its hash, and files that are no pictures."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from casstore import pictures
from casstore.errors import UsageError
from tests.pictures import build
from tests.pictures.build import PROMPT, WORKFLOW, png, text_chunk
from tests.pictures.conftest import Read


def test_a_picture_says_what_it_is(tmp_path: Path) -> None:
    file = tmp_path / "ä picture.jpg"  # the name may say anything
    data = png(text_chunk("prompt", PROMPT))
    file.write_bytes(data)
    seen: list[int] = []
    assert pictures.read(str(file), progress=seen.append) == pictures.Picture(
        name=str(file),
        format="png",
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        prompt=PROMPT,
        workflow=None,
        damaged=False,
        notes=(),
    )
    assert seen == [len(data)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; PNG, WebP, JPEG, MP4 and MOV, WebM and MKV are read"),
        (b"GIF89a" + bytes(20), "is a GIF image; PNG, WebP"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", "is a RIFF file (WebP, WAV or AVI); PNG"),
        (build.box(b"ftyp", b"avif" + bytes(8)), "is an AVIF or HEIF image; PNG"),
        (b"plain text", "is no picture that is known; PNG"),
        (b"\x00" + b"\x01" * 15, "is binary data; PNG"),
        (b'\xef\xbb\xbf {"nodes": []}', "is a text file; use casstore save for workflows"),
    ],
    ids=["empty", "gif", "wav", "avif", "text", "binary", "json"],
)
def test_what_is_not_read_is_named(read: Read, data: bytes, message: str) -> None:
    with pytest.raises(pictures.UnknownPicture) as caught:
        read(data)
    assert caught.value.message.startswith(f"picture.bin {message}")
    assert (caught.value.code, caught.value.exit_code) == ("unknown_picture", 2)


def test_a_picture_without_a_workflow_says_why_that_may_be(read: Read) -> None:
    with pytest.raises(pictures.NoWorkflow) as caught:
        read(png(text_chunk("Software", "GIMP")))
    assert caught.value.message == (
        "picture.bin holds no workflow: ComfyUI embeds one unless it runs with "
        "--disable-metadata, and editors and web sites remove it; import the original file"
    )
    assert (caught.value.code, caught.value.exit_code) == ("no_workflow", 2)
    assert caught.value.details == {"path": "picture.bin", "format": "png"}


@pytest.mark.parametrize("name", ["missing.png", "a\x00b.png", "."])
def test_what_cannot_be_opened_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        pictures.read(name)
    assert caught.value.message.startswith(f"{name} ")
    assert caught.value.details == {"path": name}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(UsageError, match="is no ordinary file; copy it into one first"):
        pictures.read(str(tmp_path / "pipe.png"))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_a_refused_file_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    real = os.open

    def remember(*arguments: Any, **options: Any) -> int:
        opened.append(real(*arguments, **options))
        return opened[-1]

    os.mkfifo(tmp_path / "pipe.png")
    monkeypatch.setattr(os, "open", remember)
    with pytest.raises(UsageError):
        pictures.read(str(tmp_path / "pipe.png"))
    with pytest.raises(OSError):
        os.fstat(opened[0])


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "growing.png"
    file.write_bytes(png(text_chunk("prompt", PROMPT)))

    def grow(_: int) -> None:
        with open(file, "ab") as stream:
            stream.write(b"more")

    with pytest.raises(pictures.BrokenPicture) as caught:
        pictures.read(str(file), progress=grow)
    assert caught.value.message == f"{file} changed while it was read; import it again"


def test_a_file_that_shrinks_while_it_is_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "shrinking.png"
    file.write_bytes(png(text_chunk("prompt", PROMPT)))
    with pytest.raises(pictures.BrokenPicture, match=r"changed|shorter"):
        pictures.read(str(file), progress=lambda _: os.truncate(file, 40))


# Pillow wrote these as ComfyUI does, so that the builder's own view of the formats is checked.


@pytest.fixture
def image() -> Any:
    return pytest.importorskip("PIL.Image").new("RGB", (4, 4))


def saved(image: Any, kind: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


DUMPED = [json.dumps(json.loads(text)) for text in (PROMPT, WORKFLOW)]


def test_png_of_save_image(read: Read, image: Any) -> None:
    info = pytest.importorskip("PIL.PngImagePlugin").PngInfo()
    info.add_text("prompt", DUMPED[0])
    info.add_text("workflow", DUMPED[1])
    picture = read(saved(image, "PNG", pnginfo=info, compress_level=4))
    assert [picture.prompt, picture.workflow, *picture.notes] == DUMPED


@pytest.mark.parametrize("zipped", [False, True])
def test_png_with_international_text(read: Read, image: Any, zipped: bool) -> None:
    info = pytest.importorskip("PIL.PngImagePlugin").PngInfo()
    info.add_itxt("workflow", WORKFLOW, zip=zipped)
    info.add_text("prompt", PROMPT, zip=zipped)
    picture = read(saved(image, "PNG", pnginfo=info))
    assert (picture.prompt, picture.workflow, picture.damaged) == (PROMPT, WORKFLOW, False)


def test_png_of_save_animated_png(read: Read, image: Any) -> None:
    info = pytest.importorskip("PIL.PngImagePlugin").PngInfo()
    for name, text in zip(("prompt", "workflow"), DUMPED, strict=True):
        info.add(b"comf", name.encode() + b"\x00" + text.encode("latin-1"), after_idat=True)
    other = pytest.importorskip("PIL.Image").new("RGB", (4, 4), "red")
    data = saved(image, "PNG", pnginfo=info, save_all=True, append_images=[other], duration=100)
    picture = read(data)
    assert [picture.prompt, picture.workflow, *picture.notes] == DUMPED


def webp_exif(image: Any) -> Any:
    exif = image.getexif()
    exif[0x0110] = f"prompt:{DUMPED[0]}"
    exif[0x010F] = f"workflow:{DUMPED[1]}"
    return exif


@pytest.mark.parametrize("kind", ["WEBP", "JPEG", "PNG"])
def test_exif_of_save_animated_webp(read: Read, image: Any, kind: str) -> None:
    picture = read(saved(image, kind, exif=webp_exif(image)))
    assert [picture.prompt, picture.workflow, *picture.notes] == DUMPED


def test_animated_webp(read: Read, image: Any) -> None:
    other = pytest.importorskip("PIL.Image").new("RGB", (4, 4), "red")
    data = saved(image, "WEBP", exif=webp_exif(image), save_all=True, append_images=[other])
    picture = read(data)
    assert [picture.prompt, picture.workflow, *picture.notes] == DUMPED


@pytest.mark.parametrize("kind", ["WEBP", "JPEG"])
def test_exif_of_extended_image_formats(read: Read, image: Any, kind: str) -> None:
    exif = image.getexif()
    exif[0x9286] = json.dumps({"prompt": json.loads(PROMPT), "workflow": json.loads(WORKFLOW)})
    picture = read(saved(image, kind, exif=exif))
    assert picture.prompt is not None
    assert picture.workflow is not None
    assert json.loads(picture.prompt) == json.loads(PROMPT)
    assert json.loads(picture.workflow) == json.loads(WORKFLOW)
