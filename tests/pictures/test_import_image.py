"""``casstore import-image``: what becomes of each picture, in the store and in the answer."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import casstore
from casstore.errors import StorageFailed
from casstore.store import Store
from tests.cli.conftest import Run, environment, process, project, run
from tests.pictures import build, written
from tests.pictures.build import PROMPT, WORKFLOW, png, text_chunk

__all__ = ["project", "run"]  # fixtures

STORE = Path("host", ".cache", "checkpoint.sqlite")
KEYS = [
    "file",
    "version_id",
    "imported_before",
    "format",
    "path",
    "sha256",
    "size",
    "prompt",
    "workflow",
    "content_hash",
    "notes",
    "error",
]
FLAGS = ("prompt", "workflow")


@pytest.fixture
def output(project: Path) -> Path:
    """The folder ``out`` in the project with one picture of each format, a JPEG without a
    workflow and a PNG that is cut off."""
    folder = Path("out")
    folder.mkdir()
    for kind, data in build.ALL.items():
        (folder / f"a.{kind}").write_bytes(data)
    (folder / "bare.jpeg").write_bytes(build.jpeg())
    (folder / "cut.png").write_bytes(build.png()[:-5])
    return folder


def store(project: Path) -> Store:
    return casstore.open_store(project / STORE, create=False)


def test_prompt_and_workflow_become_the_two_halves(run: Run, project: Path, output: Path) -> None:
    body = run("import-image", output / "a.png", "--json").body
    digest = hashlib.sha256(build.PNG).hexdigest()
    assert list(body) == ["session_id", "imported", "imported_before", "failed", "pictures"]
    with store(project) as opened:
        row, data, ui = opened.restore_texts(1)
        version = opened.restore(1)
        content_hash = opened.version(1).content_hash
    assert data is not None
    assert ui is not None
    assert (data[0].decode(), ui[0].decode()) == (PROMPT, WORKFLOW)
    assert (row.session, row.path, row.source) == ("pictures", None, None)
    assert version.attributes == {
        "source": "picture",
        "path": "out/a.png",
        "sha256": digest,
        "format": "png",
        "prompt": True,
        "workflow": True,
    }
    (picture,) = body["pictures"]
    assert list(picture) == KEYS
    assert body["session_id"] == "pictures"
    assert (body["imported"], body["imported_before"], body["failed"]) == (1, 0, 0)
    assert picture == {
        "file": str(output / "a.png"),
        "version_id": 1,
        "imported_before": False,
        "format": "png",
        "path": "out/a.png",
        "sha256": digest,
        "size": len(build.PNG),
        "prompt": True,
        "workflow": True,
        "content_hash": content_hash,
        "notes": [],
        "error": None,
    }


def test_a_picture_with_only_a_workflow_gives_both_halves(run: Run, project: Path) -> None:
    Path("w.png").write_bytes(png(text_chunk("workflow", WORKFLOW)))
    Path("p.png").write_bytes(png(text_chunk("prompt", PROMPT)))
    assert run("import-image", "w.png", "p.png", "--session", "s").code == 0
    with store(project) as opened:
        row, data, ui = opened.restore_texts(1)
        assert data == ui
        assert (data and data[0].decode(), row.data == row.ui) == (WORKFLOW, True)
        assert [opened.restore(1).attributes[key] for key in FLAGS] == [
            False,
            True,
        ]
        row, data, ui = opened.restore_texts(2)
        assert (data and data[0].decode(), ui) == (PROMPT, None)
        assert [opened.restore(2).attributes[key] for key in FLAGS] == [
            True,
            False,
        ]


def test_values_beyond_json_of_others_stay_exact(run: Run, project: Path) -> None:
    Path("v.mp4").write_bytes(written.COMFYUI_MP4)
    assert run("import-image", "v.mp4").code == 0
    out = run("restore", "--session", "pictures").out
    assert out.decode() == written.PROMPT
    assert b"18446744073709552000" in out
    assert b"NaN" in out


def test_the_same_picture_again_is_left_as_it_is(run: Run, project: Path, output: Path) -> None:
    first = run("import-image", output / "a.png", "--json").body["pictures"][0]
    (output / "copy of a.png").write_bytes(build.PNG)
    body = run("import-image", output / "copy of a.png", output / "a.png", "--json").body
    assert (body["imported"], body["imported_before"], body["failed"]) == (0, 2, 0)
    for picture in body["pictures"]:
        assert (picture["version_id"], picture["imported_before"]) == (1, True)
        assert picture["content_hash"] == first["content_hash"]
    with store(project) as opened:
        assert [info.version_id for info in opened.versions()] == [1]


def test_the_same_picture_twice_in_one_call_is_one_version(run: Run, output: Path) -> None:
    body = run("import-image", output / "a.png", output / "a.png", "--json").body
    assert [picture["version_id"] for picture in body["pictures"]] == [1, 1]
    assert [picture["imported_before"] for picture in body["pictures"]] == [False, True]


def test_force_and_another_session_make_new_versions(run: Run, project: Path, output: Path) -> None:
    file = output / "a.png"
    assert run("import-image", file).code == 0
    assert run("import-image", file, "--force", "--json").body["pictures"][0]["version_id"] == 2
    assert run("import-image", file, "--session", "x", "--json").body["imported"] == 1
    assert run("import-image", file, file, "--force", "--json").body["imported"] == 2
    assert run("import-image", file, "--json").body["pictures"][0]["version_id"] == 1
    with store(project) as opened:
        assert [info.session_id for info in opened.sessions()] == ["pictures", "x"]
        assert opened.info().blobs == 2


def test_versions_of_other_sources_do_not_count_as_imported(
    run: Run, project: Path, output: Path
) -> None:
    digest = hashlib.sha256(build.PNG).hexdigest()
    with casstore.open_store(project / STORE) as opened:
        opened.save("pictures", {"a": 1}, attributes={"sha256": digest})
        opened.save("pictures", {"a": 1}, attributes={"source": "picture", "sha256": [digest]})
        opened.save("pictures", {"a": 1})
    assert run("import-image", output / "a.png", "--json").body["pictures"][0]["version_id"] == 4


def test_for_people_each_picture_is_a_line(run: Run, output: Path) -> None:
    files = [output / f"a.{kind}" for kind in ("png", "webp", "mp4")]
    Path("p.png").write_bytes(png(build.chunk(b"tEXt", b"prompt\x00" + PROMPT.encode(), crc=1)))
    answer = run("import-image", *files, "p.png", files[0])
    assert (answer.code, answer.err) == (0, "")
    assert answer.text == (
        f"version 1: {files[0]} (png, {len(build.PNG)} B, prompt and workflow)\n"
        f"version 2: {files[1]} (webp, {len(build.WEBP)} B, prompt and workflow)\n"
        f"version 3: {files[2]} (mp4, {len(build.MP4)} B, prompt and workflow)\n"
        f"version 4: p.png (png, {Path('p.png').stat().st_size} B, prompt)\n"
        "  note: the checksum of its prompt (tEXt chunk at byte 33) is wrong, so the text may have "
        "been changed\n"
        f"version 1: {files[0]} (png, {len(build.PNG)} B, imported before)\n"
        "imported 4 of 5 files into session pictures, 1 imported before\n"
    )


def test_damage_that_a_checksum_shows_is_recorded(run: Run, project: Path) -> None:
    Path("p.png").write_bytes(png(build.chunk(b"tEXt", b"prompt\x00" + PROMPT.encode(), crc=1)))
    assert len(run("import-image", "p.png", "--json").body["pictures"][0]["notes"]) == 1
    with store(project) as opened:
        assert opened.restore(1).attributes["damaged"] is True


def test_some_failed_is_done_in_part(run: Run, project: Path, output: Path) -> None:
    names = ["a.png", "bare.jpeg", "cut.png", "missing.png", "a.webm"]
    answer = run("import-image", *(output / name for name in names), "--json")
    assert answer.code == 3
    body = answer.body
    assert (body["imported"], body["imported_before"], body["failed"]) == (2, 0, 3)
    assert [p["version_id"] for p in body["pictures"]] == [1, None, None, None, 2]
    assert all(list(p) == KEYS for p in body["pictures"])
    errors = [p["error"] and p["error"]["code"] for p in body["pictures"]]
    assert errors == [None, "no_workflow", "broken_picture", "usage", None]
    assert body["pictures"][1]["error"]["path"] == str(output / "bare.jpeg")
    assert len(answer.err.splitlines()) == 3
    assert answer.err.startswith(f"casstore: {output / 'bare.jpeg'} holds no workflow: ")
    assert answer.err == "".join(
        f"casstore: {p['error']['message']}\n" for p in body["pictures"] if p["error"]
    )
    text = run("import-image", *(output / name for name in names)).text
    assert text.endswith(
        "imported 0 of 5 files into session pictures, 2 imported before, 3 failed\n"
    )


def test_all_failed_ends_with_the_first_error_and_makes_no_store(
    run: Run, project: Path, output: Path
) -> None:
    answer = run("import-image", output / "bare.jpeg", output / "missing.png", "--json")
    assert answer.code == 2
    assert answer.body["failed"] == 2
    assert not (project / STORE).exists()


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("out/bare.jpeg", "no_workflow", "out/bare.jpeg holds no workflow: ComfyUI embeds one"),
        (
            "out/cut.png",
            "broken_picture",
            "out/cut.png is broken: a chunk at byte 55 is cut off",
        ),
        ("out/nope.png", "usage", "out/nope.png cannot be read: No such file or directory"),
        ("out", "usage", "out is a folder; name the pictures in it"),
        ("-", "usage", "a picture cannot be read from stdin; name its file"),
        ("", "usage", "Invalid value for 'FILE...': the name of the file is empty"),
        ("projects/demo/inputs/wf.json", "unknown_picture", "projects/demo/inputs/wf.json is a te"),
    ],
)
@pytest.mark.usefixtures("output")
def test_one_picture_that_fails_is_an_error(
    run: Run, project: Path, name: str, code: str, message: str
) -> None:
    answer = run("import-image", name, "--json")
    assert answer.code == 2
    assert answer.error["code"] == code
    assert answer.error["message"].startswith(message)
    assert not (project / STORE).exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), "usage", "Missing argument 'FILE...'"),
        (("out/a.png", "--session", ""), "invalid_session", "session_id is empty"),
    ],
)
@pytest.mark.usefixtures("output")
def test_a_wrong_call_says_what_is_wrong(
    run: Run, arguments: tuple[str, ...], code: str, message: str
) -> None:
    answer = run("import-image", *arguments, "--json")
    assert answer.code == 2
    assert answer.error["code"] == code
    assert answer.error["message"].startswith(message)


def test_a_store_that_fails_ends_the_import_and_repeating_it_goes_on(
    run: Run, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Store.save_texts
    calls = 0

    def full(self: Store, *arguments: object, **options: object) -> int:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise StorageFailed("the disk is full")
        return real(self, *arguments, **options)  # type: ignore[arg-type]

    names = [output / f"a.{kind}" for kind in ("png", "webp", "mp4")]
    with monkeypatch.context() as patch:
        patch.setattr(Store, "save_texts", full)
        answer = run("import-image", *names, "--json")
    assert answer.code == 3
    assert calls == 2
    errors = [p["error"] and p["error"]["code"] for p in answer.body["pictures"]]
    assert errors == [None, "storage_failed", "storage_failed"]
    again = run("import-image", *names, "--json").body
    assert [p["version_id"] for p in again["pictures"]] == [1, 2, 3]


def test_a_picture_outside_the_project_is_recorded_with_its_whole_path(
    run: Run, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "ComfyUI" / "output"
    outside.mkdir(parents=True)
    (outside / "é.png").write_bytes(build.PNG)
    body = run("import-image", outside / "é.png", "--json").body
    assert body["pictures"][0]["path"] == (outside / "é.png").resolve().as_posix()
    with store(project) as opened:
        assert opened.restore(1).attributes["path"] == body["pictures"][0]["path"]


@pytest.mark.skipif(sys.platform != "linux", reason="names are UTF-8 or UTF-16 elsewhere")
def test_a_name_that_is_no_text_is_readable_and_exact_beside_it(project: Path) -> None:
    name = os.fsencode(project) + b"/a\xff.png"
    with open(name, "wb") as stream:
        stream.write(build.PNG)
    done = subprocess.run(
        [*process("import-image"), b"a\xff.png"],
        capture_output=True,
        env=environment(PYTHONUTF8="1"),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    with store(project) as opened:
        attributes = opened.restore(1).attributes
    assert attributes["path"].endswith("/a\\xff.png")
    assert bytes.fromhex(attributes["path_bytes"]) == os.path.realpath(name)


def test_pictures_of_one_batch_cost_their_documents_once(run: Run, project: Path) -> None:
    for number in range(4):
        Path(f"{number}.png").write_bytes(png(*CHUNKS, build.text_chunk("n", str(number))))
    assert run("import-image", *(f"{n}.png" for n in range(4)), "--json").body["imported"] == 4
    with store(project) as opened:
        assert (opened.info().versions, opened.info().blobs) == (4, 2)


CHUNKS = (text_chunk("prompt", PROMPT), text_chunk("workflow", WORKFLOW))


def test_progress_counts_the_bytes_of_all_files(
    run: Run, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr(
        "casstore.cli.progress.Progress.__call__",
        lambda _, done, total: seen.append((done, total)),
    )
    names = [output / name for name in ("a.png", "missing.png", "a.webp")]
    assert run("import-image", *names).code == 3
    total = len(build.PNG) + len(build.WEBP)
    assert seen == [(len(build.PNG), total), (total, total)]


def test_the_document_names_every_format_limit_and_attribute() -> None:
    text = (Path(__file__).parents[2] / "docs" / "pictures.md").read_text(encoding="utf-8")
    for word in ("tEXt", "zTXt", "iTXt", "comf", "EXIF", "MP4", "MOV", "WebM", "MKV", "64 MiB"):
        assert word in text
    for key in ("source", "path", "path_bytes", "sha256", "format", *FLAGS, "damaged"):
        assert f"| `{key}` |" in text
    for code in ("unknown_picture", "no_workflow", "broken_picture", "picture_limit"):
        assert f"`{code}`" in text
    for example in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        json.loads(example)
