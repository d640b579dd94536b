"""``casstore diff``: what it compares, how it answers, how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from casstore.cli import diff_cmd
from tests.cli.conftest import Run
from tests.workflow.builders import api, edited, node, ui

WIDE = "\u91c7\u6837\u5668"


@pytest.fixture
def pair(project: Path) -> tuple[str, str]:
    """Two files that differ in a value and a place."""

    def edit(document: Any) -> None:
        node(document, 3)["widgets_values"][2] = 30
        node(document, 6)["pos"] = [1, 1]

    Path("a.json").write_text(json.dumps(ui()), encoding="utf-8")
    Path("b.json").write_text(json.dumps(edited(ui(), edit), indent=1), encoding="utf-8")
    return "a.json", "b.json"


def test_two_files(run: Run, pair: tuple[str, str]) -> None:
    answer = run("diff", *pair)
    assert answer.code == 0
    assert answer.err == ""
    assert answer.text == (
        "A  a.json\n"
        "B  b.json\n"
        "\n"
        "~ KSampler #3\n"
        "    steps  20 → 30\n"
        ". 1 node moved: CLIPTextEncode #6\n"
        "\n"
        "1 node changed; 1 node moved\n"
    )


def test_numbers_of_what_changed(run: Run, pair: tuple[str, str]) -> None:
    assert run("diff", "--stat", *pair).text == (
        "A  a.json\n"
        "B  b.json\n"
        "\n"
        "change   what         values  links  other\n"
        "-------  -----------  ------  -----  -----\n"
        "changed  KSampler #3       1      0      0\n"
        "\n"
        "1 node changed; 1 node moved\n"
    )


def test_nothing_that_changed(run: Run, pair: tuple[str, str]) -> None:
    assert run("diff", pair[0], pair[0]).text == "A  a.json\nB  a.json\n\nno differences\n"
    Path("c.json").write_text(json.dumps(ui(), indent=4, sort_keys=True), encoding="utf-8")
    assert run("diff", pair[0], "c.json").text.endswith(
        "no differences; the texts differ in the order of keys or in spacing\n"
    )
    assert run("diff", "--patch", pair[0], "c.json").out == b"[]\n"


def test_json(run: Run, pair: tuple[str, str]) -> None:
    body = run("diff", "--json", *pair).body
    lists = ("nodes", "groups", "subgraphs", "other", "cosmetic")
    assert [len(body[name]) for name in lists] == [1, 0, 0, 0, 1]
    del body["nodes"], body["cosmetic"]
    assert body == {
        "a": "a.json",
        "b": "b.json",
        "equal": False,
        "same_graph": False,
        "summary": "KSampler #3: steps 20 → 30; 1 node moved",
        "stat": {
            "nodes_changed": 1,
            "nodes_added": 0,
            "nodes_removed": 0,
            "values": 1,
            "links": 0,
            "groups": 0,
            "subgraphs": 0,
            "other": 0,
            "cosmetic": 1,
        },
        "formats": ["ui", "ui"],
        "notes": [],
        "groups": [],
        "subgraphs": [],
        "other": [],
    }


def test_json_has_the_keys_that_the_help_names(run: Run, pair: tuple[str, str]) -> None:
    named = set(diff_cmd.command.answers)
    assert set(run("diff", "--json", *pair).body) == named - {"patch"}
    lists = {"nodes", "groups", "subgraphs", "other", "cosmetic"}
    assert set(run("diff", "--json", "--stat", *pair).body) == named - {"patch"} - lists
    assert set(run("diff", "--json", "--patch", *pair).body) == named - lists


def test_a_patch_that_turns_a_into_b(run: Run, pair: tuple[str, str]) -> None:
    a, b = (json.loads(Path(name).read_text(encoding="utf-8")) for name in pair)
    printed = json.loads(run("diff", "--patch", *pair).out)
    assert jsonpatch.apply_patch(a, printed) == b
    assert run("diff", "--patch", "--json", *pair).body["patch"] == printed
    assert run("diff", "--patch", *pair).text.count("\n") == len(printed)


@pytest.mark.parametrize("options", [(), ("--json",), ("--patch",), ("--stat",)])
def test_the_exit_code_tells_where_it_is_asked_for(
    run: Run, pair: tuple[str, str], options: tuple[str, ...]
) -> None:
    assert run("diff", *options, *pair).code == 0
    assert run("diff", "--exit-code", *options, *pair).code == 1
    assert run("diff", "--exit-code", *options, pair[0], pair[0]).code == 0
    assert run("diff", "--exit-code", *options, *pair).out == run("diff", *options, *pair).out


# Versions


def test_two_versions(run: Run, pair: tuple[str, str]) -> None:
    for name in pair:
        assert run("save", name, "--session", "s").code == 0
    answer = run("diff", 1, 2)
    assert answer.text.startswith("A  version 1 of s, 20")
    assert answer.text.endswith("1 node changed; 1 node moved\n")
    assert run("diff", 2, "b.json").text.endswith("no differences\n")
    assert run("diff", "--json", "a.json", 1).body["equal"] is True


def test_halves_of_one_format_are_compared(saved: Run) -> None:
    """Version 1 is the API file, 2 the UI file, 3 both."""
    inputs = Path("projects", "demo", "inputs")
    assert saved("diff", "--json", 1, 3).body["formats"] == ["api", "api"]
    assert saved("diff", "--json", 3, 2).body["formats"] == ["ui", "ui"]
    assert saved("diff", "--json", 2, 3).body["equal"] is True
    assert saved("diff", "--json", "--ui", 3, inputs / "ui.json").body["equal"] is True
    assert saved("diff", "--json", 3, 3).body["notes"] == []
    Path("other.json").write_text('{"nodes": []}', encoding="utf-8")
    run = saved("save", inputs / "wf.json", "--ui", "other.json", "--session", "both")
    assert run.code == 0
    assert saved("diff", "--json", 3, 4).body["notes"] == [
        "the UI halves of the versions differ too; add --ui to see how"
    ]
    assert saved("diff", "--ui", 3, 4).text.endswith("1 node removed; 1 other value\n")


def test_two_formats_are_compared_as_values_and_a_note_says_why(saved: Run) -> None:
    answer = saved("diff", 1, 2)
    assert answer.code == 0
    assert "cannot be compared node by node" in answer.err
    assert "format api → ui" in answer.text
    assert saved("diff", "--json", 1, 2).body["notes"][0].startswith("The first document is in API")


def test_a_version_whose_file_was_absent_is_null(run: Run, pair: tuple[str, str]) -> None:
    import casstore

    where = run("where", "--json").body["path"]
    with casstore.open_store(where) as store:
        store.save_file("s", None, path="gone.json")
        store.save_file("s", b"not JSON", path="text.txt")
        store.save_file("s", b"\x00\xff", path="binary")
    assert run("diff", "--json", 1, "a.json").body["formats"] == ["json", "ui"]
    for version in (2, 3):
        answer = run("diff", version, "a.json", "--json")
        assert answer.code == 2
        assert answer.error["code"] == "invalid_document"
        assert answer.error["version_id"] == version


# What goes wrong


def test_what_is_not_there(run: Run, pair: tuple[str, str]) -> None:
    assert run("diff", 1, "a.json", "--json").error["code"] == "no_store"
    assert run("diff", 1, "a.json").code == 10
    missing = run("diff", "nowhere.json", "a.json", "--json")
    assert (missing.code, missing.error["code"]) == (13, "no_such_revision")
    assert run("save", "a.json", "--session", "s").code == 0
    assert run("diff", 99, 1).code == 13
    assert run("diff", "99999999999999999999999", 1, "--json").error["code"] == "no_such_revision"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--patch", "--stat", "a.json", "b.json"), "name one of --patch and --stat"),
        (("-", "-"), "cannot both be stdin"),
        (("a.json",), "Missing argument 'B'"),
        (("a.json", ""), "name of the file is empty"),
        (("a.json", "."), "cannot be read"),
    ],
)
def test_wrong_calls(
    run: Run, pair: tuple[str, str], arguments: tuple[str, ...], words: str
) -> None:
    answer = run("diff", *arguments)
    assert answer.code == 2
    assert words in answer.err


@pytest.mark.parametrize("data", [b"", b"nodes", b'{"a": 1', b"\xff\xfe{\x00}\x00", b"\x89PNG\r\n"])
def test_a_file_that_is_no_json_is_refused_with_the_reason(
    run: Run, pair: tuple[str, str], data: bytes
) -> None:
    Path("odd.json").write_bytes(data)
    answer = run("diff", "a.json", "odd.json", "--json")
    assert (answer.code, answer.error["code"]) == (2, "invalid_document")
    assert answer.error["message"].startswith("odd.json ")


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"a": 1}',
        b'{"a": 1, "a": 2}',
        b'{"a": NaN, "b": 18446744073709552000, "c": "\\ud83d", "d": -0.0}',
        b"[" * 490 + b"]" * 490,
        b"null",
    ],
    ids=["mark", "twice", "numbers", "deep", "null"],
)
@pytest.mark.parametrize("option", ["--json", "--patch", "--stat", "--exit-code"])
def test_odd_json_is_compared(run: Run, pair: tuple[str, str], data: bytes, option: str) -> None:
    Path("odd.json").write_bytes(data)
    assert run("diff", "odd.json", "odd.json", option).code == 0
    for names in (("a.json", "odd.json"), ("odd.json", "a.json")):
        assert run("diff", *names, option).code == (1 if option == "--exit-code" else 0)


# On a terminal


def test_stdin_is_one_of_the_two(run: Run, pair: tuple[str, str]) -> None:
    data = Path("b.json").read_bytes()
    assert run("diff", "a.json", "-", stdin=data).text.startswith("A  a.json\nB  stdin\n")


def test_names_from_documents_cannot_steer_the_terminal(run: Run, project: Path) -> None:
    bad = edited(
        api(), lambda d: d["3"].update(class_type="\x1b[31mred\u202e", _meta={"title": "\n"})
    )
    Path("a.json").write_text(json.dumps(api()), encoding="utf-8")
    Path("b.json").write_text(json.dumps(bad), encoding="utf-8")
    for options in ((), ("--stat",)):
        text = run("diff", *options, "a.json", "b.json").text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\\x1b[31mred\\u202e #3" in text


def test_every_line_fits_the_terminal(run: Run, project: Path) -> None:
    wide = edited(
        ui(), lambda d: [each.update(type=WIDE * 20, title=WIDE * 9) for each in d["nodes"]]
    )
    Path("a.json").write_text(json.dumps(ui()), encoding="utf-8")
    Path("b.json").write_text(json.dumps(wide), encoding="utf-8")
    from casstore.cli.terminal import width_of

    for options in ((), ("--stat",)):
        for line in run("diff", *options, "a.json", "b.json").text.splitlines():
            assert width_of(line) <= 80


def test_colours_are_for_terminals_that_take_them(
    run: Run, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casstore.cli.run.Run.is_terminal", True)
    assert "\x1b[36m~ KSampler #3\x1b[0m" in run("diff", *pair).text
    assert "\x1b" not in run("diff", *pair, NO_COLOR="1").text
    assert "\x1b" not in run("diff", "--patch", *pair).text


def test_the_name_of_a_side_is_found_in_one_place(
    run: Run, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever names versions otherwise has one function to replace."""
    found = diff_cmd._document
    asked: list[str] = []

    def document(run: Any, name: str) -> Any:
        asked.append(name)
        return found(run, name.removeprefix("file:"))

    monkeypatch.setattr(diff_cmd, "_document", document)
    assert run("diff", "file:a.json", "file:b.json").code == 0
    assert asked == ["file:a.json", "file:b.json"]
