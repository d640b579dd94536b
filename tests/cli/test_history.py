"""``log``, ``show``, ``find``, ``sessions`` and the marks people put on versions, as they look."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import casstore
from casstore import comparing
from tests.cli.conftest import Run

STORE = Path("host", ".cache", "checkpoint.sqlite")
PATH = "projects/demo/inputs/wf.json"


def graph(steps: int, *, pos: int = 0, model: str = "sdxl/base.safetensors") -> bytes:
    nodes = [
        {"id": 1, "type": "CheckpointLoaderSimple", "pos": [pos, 0], "widgets_values": [model]},
        {"id": 3, "type": "KSampler", "pos": [0, 0], "widgets_values": [7, "fixed", steps]},
    ]
    return json.dumps({"nodes": nodes, "links": [], "version": 0.4}).encode()


def hook(number: int) -> dict[str, Any]:
    return {
        "path": PATH,
        "created_at": f"2026-01-31T12:0{number}:00.000+00:00",
        "attributes": {"source": "hook", "tool_name": "Edit", "tool_use_id": f"t{number}"},
    }


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()
    yield
    monkeypatch.undo()
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What changed is another part's to say; here it says so."""

    def summary(before: Any, after: Any, width: int | None) -> str:
        return "no changes" if before == after else "changed"

    def identity(document: Any) -> bytes:
        nodes = document.get("nodes", [document]) if isinstance(document, dict) else [document]
        return repr([{k: v for k, v in n.items() if k != "pos"} for n in nodes]).encode()

    monkeypatch.setattr(comparing, "summary", summary)
    monkeypatch.setattr(comparing, "identity", identity)


@pytest.fixture
def told(run: Run, project: Path) -> Run:
    """As `run`, with seven versions there: of a file, then of a session of values."""
    states = (graph(20), graph(30), graph(30, pos=5), b'{"broken', b'{"broken\n', None)
    with casstore.open_store(project / STORE) as store:
        for number, source in enumerate(states, 1):
            store.save_file("agent", source, **hook(number))
        store.save("values", {"3": {"class_type": "KSampler", "inputs": {"text": "Über fox"}}})
    return run


def ids(run: Run, *arguments: object) -> list[int]:
    answer = run("log", *arguments, "--json")
    assert answer.code == 0, answer
    return [each["version_id"] for each in answer.body["versions"]]


def test_the_log_of_a_file(told: Run) -> None:
    assert told("tag", "works", 2).text == "works is version 2\n"
    assert told("pin", "works").text == "version 2 is pinned\n"
    assert told("note", "works", "the one\nto keep").text == "version 2: the one\\nto keep\n"
    answer = told("log", PATH)
    expected = """\
6  2026-01-31 12:06:00  N B  Edit  projects/demo/inputs/wf.json
    the file is gone
5  2026-01-31 12:05:00  N B  Edit  projects/demo/inputs/wf.json
    text changed, 8 to 9 bytes
4  2026-01-31 12:04:00  N B  Edit  projects/demo/inputs/wf.json
    no longer JSON: text, 8 bytes
3  2026-01-31 12:03:00  N B  Edit  projects/demo/inputs/wf.json
    changed
2  2026-01-31 12:02:00  N B  Edit  [works]  [pinned]  …/wf.json
    changed
    note: the one to keep
1  2026-01-31 12:01:00  N B  Edit  projects/demo/inputs/wf.json
    first version: 2 nodes
"""
    assert answer.code == 0
    assert all(len(line) <= 80 for line in answer.text.splitlines())
    # sizes are zstd's, and decide how much room is left for the path
    shown = re.sub(r"  \d+ B  ", "  N B  ", answer.text)
    assert re.sub(r"…\S*/wf.json", "…/wf.json", shown) == expected


def test_which_versions_the_log_shows(told: Run) -> None:
    assert ids(told) == [7, 6, 5, 4, 3, 2, 1]
    assert ids(told, "-n", 2) == [7, 6]
    assert ids(told, "--session", "values") == [7]
    assert ids(told, "--path", PATH, "-n", 1) == [6]
    assert ids(told, "agent~3") == [3, 2, 1]
    assert ids(told, f"{PATH}~4") == [2, 1]
    assert ids(told, "agent~3", "values", 2) == [7, 3, 2, 1]
    assert ids(told, PATH, "--changes-only") == [6, 5, 4, 2, 1]
    assert ids(told, "--until", "2026-01-31T12:02:00Z") == [2, 1]
    assert ids(told, PATH, "--since", "2026-01-31T12:05") == [6, 5]
    assert ids(told, "--node", "KSampler") == [7, 3, 2, 1]
    assert ids(told, "--node", "ksampler") == []
    assert ids(told, "--search", "SDXL/base") == [3, 2, 1]
    assert ids(told, "--search", "broken") == [5, 4]
    assert ids(told, "--search", "Über") == [7]
    assert ids(told, "--node", "KSampler", "--search", "Fox") == [7]
    told("tag", "v1", 1)
    told("tag", "v2", 3)
    assert ids(told, "--tag", "v1") == [1]
    assert ids(told, "--tag", "v*") == [3, 1]
    assert ids(told, "--tag", "x") == []


def test_what_the_log_says_of_a_version(told: Run) -> None:
    [found] = told("log", 2, "-n", 1, "--json").body["versions"]
    stored = found.pop("stored_bytes")
    assert 0 < stored < 200
    assert len(found.pop("content_hash")) == 64
    assert found == {
        "version_id": 2,
        "session_id": "agent",
        "created_at": "2026-01-31T12:02:00.000+00:00",
        "path": PATH,
        "tool": "Edit",
        "change": "changed",
        "previous_version": 1,
        "size": 2 * len(graph(30)),
        "tags": [],
        "pinned": False,
        "note": None,
        "damaged": False,
    }


def test_a_version_that_brought_nothing_new_costs_nothing(told: Run, project: Path) -> None:
    with casstore.open_store(project / STORE) as store:
        store.save_file("agent", graph(20), **hook(8))
    [found] = told("log", "-n", 1, "--json").body["versions"]
    assert (found["stored_bytes"], found["change"]) == (
        0,
        "JSON again: 2 nodes".replace("JSON again: 2 nodes", found["change"]),
    )
    assert found["change"] == "the file is there"


def test_a_damaged_version_is_named_and_the_others_are_shown(told: Run, project: Path) -> None:
    import sqlite3

    with sqlite3.connect(project / STORE) as connection:
        connection.execute(
            "UPDATE blobs SET data = x'00' WHERE id = (SELECT data FROM versions WHERE id = 7)"
        )
    connection.close()
    answer = told("log", "--json")
    assert answer.code == 20
    assert [each["damaged"] for each in answer.body["versions"]] == [True] + [False] * 6
    assert answer.body["versions"][0]["change"].startswith("cannot be compared: blob ")
    assert answer.err == "casstore: damaged, or next to a damaged version: 7\n"
    assert told("show", 7).code == 20


def test_show(told: Run) -> None:
    answer = told("show", "agent~4")
    assert answer.code == 0
    lines = answer.text.splitlines()
    assert lines[:5] == [
        "version     2",
        "session     agent",
        "saved       2026-01-31 12:02:00 by Edit",
        f"file        {PATH}",
        "since 1     changed",
    ]
    assert lines[-1] == (
        'attributes  {"source":"hook","tool_name":"Edit","tool_use_id":"t2","format":"ui"}'
    )
    body = told("show", "agent~4", "--json").body
    assert body["version_id"] == 2
    assert body["ui_content_hash"] == body["content_hash"]
    assert body["attributes"]["format"] == "ui"


def found(run: Run, *arguments: object) -> list[tuple[int, str]]:
    answer = run("find", *arguments, "--json")
    assert answer.code == 0, answer
    return [(each["version_id"], each["where"]) for each in answer.body["versions"]]


def test_find(told: Run, project: Path) -> None:
    sampler = "KSampler #3"
    assert found(told, "--node", "KSampler") == [
        (7, sampler),
        (3, sampler),
        (2, sampler),
        (1, sampler),
    ]
    assert found(told, "--node", "KSampler", "-n", 1) == [(7, sampler)]
    model = "sdxl/base.safetensors"
    assert found(told, "--model", "Base.safetensors") == [(3, model), (2, model), (1, model)]
    assert found(told, "--model", "sdxl\\base.safetensors", "-n", 1) == [(3, model)]
    assert found(told, "--model", "ase.safetensors") == []
    assert found(told, "--text", "fox", "--node", "KSampler")[0][1].startswith("KSampler #3; ")
    assert found(told, "--session", "values", "--node", "KSampler") == [(7, sampler)]
    (project / "copy.json").write_bytes(graph(30))
    assert found(told, "--file", "copy.json") == [(2, "same content")]
    (project / "copy.json").write_bytes(json.dumps(json.loads(graph(30)), indent=1).encode())
    assert found(told, "--file", "copy.json") == [(2, "same content")]
    (project / "copy.json").write_bytes(b'{"broken')
    assert found(told, "--file", "copy.json") == [(4, "same content")]
    content = told("show", 3, "--json").body["content_hash"]
    assert found(told, "--content", content[:8]) == [(3, "same content")]
    assert found(told, "--content", content, "--node", "KSampler") == [(3, sampler)]
    assert told("find", "--content", content).text == (
        f"3  2026-01-31 12:03:00  {PATH}\n    same content\n"
    )


def test_sessions_are_listed_newest_first(told: Run) -> None:
    answer = told("sessions")
    lines = answer.text.splitlines()
    assert lines[0].split() == ["session", "versions", "last", "saved"]
    assert lines[2].startswith("values          1     7  ")
    assert lines[3] == "agent           6     6  2026-01-31 12:06:00"
    body = told("sessions", "--json", "-n", 1).body
    assert list(body["sessions"][0]) == [
        "session_id",
        "versions",
        "first_version",
        "last_version",
        "first_created_at",
        "last_created_at",
    ]
    assert len(body["sessions"]) == 1


def test_tags_pins_and_notes(told: Run) -> None:
    assert told("tag").text == "no tags yet; casstore tag NAME REV makes one\n"
    assert told("tag", "good", "agent~3").text == "good is version 3\n"
    assert told("tag", "good", 3, "--json").body["version_id"] == 3
    refused = told("tag", "good", 1, "--json")
    assert (refused.code, refused.error["code"]) == (2, "invalid_tag")
    assert "names version 3 already" in refused.error["message"]
    assert told("tag", "good", 1, "--move").code == 0
    assert told("tag").text == "tag   version\n----  -------\ngood        1\n"
    assert [each["version_id"] for each in told("tag", "--json").body["tags"]] == [1]
    assert told("untag", "good").text == "good no longer names version 1\n"
    assert told("pin", 1, "--json").body == {"version_id": 1, "changed": True}
    assert told("pin", 1, "--json").body == {"version_id": 1, "changed": False}
    assert told("unpin", 1, "--json").body == {"version_id": 1, "changed": True}
    assert told("unpin", 1).text == "version 1 was not pinned\n"
    assert told("note", 1).text == "version 1 has no note\n"
    assert told("note", 1, "x", "--json").body == {"version_id": 1, "note": "x"}
    assert told("note", 1, "--clear", "--json").body == {"version_id": 1, "note": None}


def test_a_marked_version_is_not_deleted_by_sql(told: Run) -> None:
    told("tag", "good", 1)
    told("pin", 1)
    delete = ("sql", "--write", "DELETE FROM workflow_version WHERE id = 1", "--json")
    answer = told(*delete)
    assert answer.code == 2
    assert answer.error["code"] == "version_protected"
    assert answer.error["message"] == (
        "version 1 is tagged good and pinned, so it is kept; first: casstore untag good; "
        "casstore unpin 1"
    )
    assert told("untag", "good").code == 0
    assert told("unpin", 1).code == 0
    assert told(*delete).code == 0
    assert told("show", 1).code == 13


def test_restore_and_rollback_take_any_revision(told: Run, project: Path) -> None:
    assert told("restore", "agent~4").out == graph(30)
    assert told("restore", f"{PATH}@{{2026-01-31T12:01:30}}").out == graph(20)
    answer = told("rollback", "--to", f"{PATH}~4", "--json")
    assert answer.body["files"][0]["version_id"] == 2
    assert (project / PATH).read_bytes() == graph(30)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (("show",), 2, "usage"),
        (("show", "nothing"), 13, "revision_not_found"),
        (("show", "99"), 13, "version_not_found"),
        (("show", ""), 2, "invalid_revision"),
        (("show", "agent@{soon}"), 2, "invalid_time"),
        (("log", "agent", "--session", "agent"), 2, "usage"),
        (("log", "--tag", "x", "--path", PATH), 2, "usage"),
        (("log", "--session", "x"), 13, "session_not_found"),
        (("log", "--path", "x"), 13, "revision_not_found"),
        (("log", "--since", "soon"), 2, "invalid_time"),
        (("log", "--search", ""), 2, "usage"),
        (("log", "-n", "0"), 2, "usage"),
        (("find",), 2, "usage"),
        (("find", "--content", "abc"), 2, "usage"),
        (("find", "--content", "xyzxyz"), 2, "usage"),
        (("find", "--content", "abcdef", "--file", "x"), 2, "usage"),
        (("find", "--file", "nowhere"), 2, "usage"),
        (("find", "--node", ""), 2, "usage"),
        (("tag", "x"), 2, "usage"),
        (("tag", "1", "7"), 2, "invalid_tag"),
        (("tag", "a~1", "7"), 2, "invalid_tag"),
        (("tag", "x", "8"), 13, "version_not_found"),
        (("untag", "x"), 13, "tag_not_found"),
        (("pin", "x"), 13, "revision_not_found"),
        (("note", "7", "x", "--clear"), 2, "usage"),
        (("note", "7", " "), 2, "usage"),
        (("restore", "7", "--version", "7"), 2, "usage"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    told: Run, arguments: tuple[str, ...], exit_code: int, code: str
) -> None:
    answer = told(*arguments, "--json")
    assert (answer.code, answer.error["code"]) == (exit_code, code), answer


def test_without_a_store_each_command_says_so(run: Run) -> None:
    for arguments in (("log",), ("sessions",), ("show", 1), ("find", "--node", "x"), ("tag",)):
        assert run(*arguments).code == 10


def test_names_in_the_data_cannot_steer_the_terminal(told: Run, project: Path) -> None:
    with casstore.open_store(project / STORE) as store:
        store.save("\x1b[31m", {"a": "\x1b[31m"}, attributes={"source": "\x1b[31m"})
        store.note(8, "\x1b[31m")
    for arguments in (("log",), ("show", 8), ("find", "--text", "a"), ("sessions",)):
        assert b"\x1b" not in told(*arguments).out
