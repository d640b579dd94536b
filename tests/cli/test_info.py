"""``casstore info``, ``where`` and ``pack`` say what is true of the store."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import casstore
from casstore.cli.terminal import size
from casstore.records import StoreInfo
from tests.cli.conftest import Run

STORE = Path("host", ".cache", "checkpoint.sqlite")


def test_info_answers_with_every_figure_of_the_store(saved: Run, project: Path) -> None:
    body = saved("info", "--json").body
    with casstore.open_store(project / STORE) as store:
        info = store.info()
    assert {key: body[key] for key in StoreInfo._fields} == info._asdict()
    assert list(body) == [
        "location",
        "format",
        "versions",
        "sessions",
        "blobs",
        "loose",
        "logical_bytes",
        "distinct_bytes",
        "stored_bytes",
        "file_bytes",
        "ratio",
        "journal_mode",
        "engine",
    ]
    assert (body["versions"], body["sessions"], body["blobs"]) == (3, 2, 2)
    assert body["file_bytes"] == (project / STORE).stat().st_size
    assert body["ratio"] == round(body["logical_bytes"] / body["file_bytes"], 2)


def test_info_for_people_fits_eighty_columns(saved: Run, project: Path) -> None:
    lines = saved("info", "--store", STORE).text.splitlines()
    mode = saved("info", "--json").body["journal_mode"]
    assert lines == [
        f"store      {project / STORE}",
        f"engine     SQLite {sqlite3.sqlite_version}, journal {mode}, format 1",
        "versions   3 in 2 sessions",
        "payloads   2 distinct",
        "documents  391 B as plain texts, every version counted",
        f"on disk    {size((project / STORE).stat().st_size)}",
    ]
    assert all(len(line) <= 80 for line in lines[1:])


def test_info_tells_how_much_smaller_the_store_is(run: Run, project: Path) -> None:
    with casstore.open_store(project / STORE) as store:
        for number in range(40):
            store.save("s", {"text": "x" * 20_000, "n": number})
    text = run("info").text
    assert "documents  801 kB as plain texts, every version counted\n" in text
    assert text.endswith(" times smaller\n")


def test_pack_compresses_what_is_loose(run: Run, project: Path) -> None:
    with casstore.open_store(project / STORE, loose=True) as store:
        store.save("s", {"a": 1}, {"nodes": []})
    assert "payloads   2 distinct, 2 waiting to be compressed\n" in run("info").text
    assert run("pack", "--json").body == {"packed": 2}
    assert run("pack", "--json").body == {"packed": 0}
    assert run("pack").text == "nothing to compress\n"
    with casstore.open_store(project / STORE, loose=True) as store:
        store.save("s", {"a": 2})
    assert run("pack").text == "compressed 1 document\n"
    assert run("info", "--json").body["loose"] == 0


@pytest.mark.parametrize("command", ["info", "pack"])
def test_they_make_no_store(run: Run, project: Path, command: str) -> None:
    answer = run(command, "--json")
    assert answer.code == 10
    assert answer.error["message"] == (
        f"there is no store at {project / STORE}; the first save makes one"
    )
    assert not (project / "host").exists()


def test_where_names_the_path_and_what_decided_it(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "projects" / "demo")
    body = run("where", "--json").body
    assert body == {
        "path": str(project / STORE),
        "exists": False,
        "decided_by": ".git",
        "project_root": str(project),
        "root_decided_by": ".git",
    }
    assert run("where").text == (
        f"{project / STORE}\n"
        f"state       not there yet; the first save makes it\n"
        f"because of  .git in {project}\n"
    )


def test_where_knows_every_way_to_decide(run: Run, project: Path, tmp_path: Path) -> None:
    (project / ".claude").mkdir()
    assert run("where", "--json").body["decided_by"] == ".claude"
    named = {"CLAUDE_PROJECT_DIR": str(tmp_path)}
    body = run("where", "--json", **named).body
    assert (body["decided_by"], body["project_root"]) == ("CLAUDE_PROJECT_DIR", str(tmp_path))
    assert body["path"] == str(tmp_path / STORE)
    text = run("where", **named).text
    assert f"because of  CLAUDE_PROJECT_DIR, which names {tmp_path}\n" in text
    named["COMFYUI_AGENT_CHECKPOINT_DB"] = "here.sqlite"
    body = run("where", "--json", **named).body
    assert body["decided_by"] == "COMFYUI_AGENT_CHECKPOINT_DB"
    assert body["root_decided_by"] == "CLAUDE_PROJECT_DIR"
    assert body["path"] == str(project / "here.sqlite")
    assert "because of  COMFYUI_AGENT_CHECKPOINT_DB names it\n" in run("where", **named).text
    body = run("where", "--json", "--store", "there.sqlite", **named).body
    assert (body["decided_by"], body["path"]) == ("--store", str(project / "there.sqlite"))
    assert "because of  --store\n" in run("where", "--store", "x", **named).text


def test_where_falls_back_to_the_working_directory(run: Run, project: Path) -> None:
    (project / ".git").rmdir()
    body = run("where", "--json").body
    outer = next((p for p in project.parents if (p / ".git").exists()), None)
    if outer is None:  # the temporary folder may lie in a checkout
        assert (body["decided_by"], body["path"]) == ("working directory", str(project / STORE))
        assert "because of  the working directory; no .claude or .git in" in run("where").text


def test_where_sees_a_store_that_is_there(saved: Run) -> None:
    assert saved("where", "--json").body["exists"] is True
    assert "state       exists\n" in saved("where").text
