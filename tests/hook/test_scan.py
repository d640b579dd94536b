"""The look at the bytes never passes over a call that reading would find high-value."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.hook.jsonio import loads
from casstore.hook.rules import is_high_value
from casstore.hook.scan import HIGH_VALUE_NEEDLES, Options, may_matter, options_from

WORDS = [
    "compile.py", "submit_prompt.py", "projects", "demo", "inputs", "/", "\\", "..", ".", " ", "'",
    '"', "cd ", "sed -i ", "wf.json", "*", "$P", "~", "&&", "é", "\n", "ls", "Compile.py", "{", ",",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map("".join)
FOLDERS = st.sampled_from(["/w", "/w/projects/demo", "/w/projects/demo/inputs", "/w/p/x"])
TOOLS = st.sampled_from(["Bash", "PowerShell", "Skill", "Write", "Edit", "NotebookEdit", "Read"])


def escaped(text: str, rng: random.Random) -> str:
    """A JSON string in which any character may be written as an escape."""
    parts = []
    for letter in text:
        kind = rng.randrange(4)
        if kind == 0:
            parts.append(f"\\u{ord(letter):04x}")
        elif kind == 1:
            parts.append(f"\\u{ord(letter):04X}")
        elif kind == 2 and letter == "/":
            parts.append("\\/")
        else:
            parts.append(json.dumps(letter, ensure_ascii=rng.random() < 0.5)[1:-1])
    return '"' + "".join(parts) + '"'


def written(value: Any, rng: random.Random) -> str:
    if isinstance(value, str):
        return escaped(value, rng) if rng.random() < 0.4 else json.dumps(value)
    pairs = [f"{written(key, rng)} : {written(item, rng)}" for key, item in value.items()]
    return "{" + ",\t".join(pairs) + "}"


@given(tool=TOOLS, text=TEXT, cwd=FOLDERS, seed=st.integers(0, 2**32))
def test_no_spelling_of_a_high_value_event_is_passed_over(
    tool: str, text: str, cwd: str, seed: int
) -> None:
    rng = random.Random(seed)
    tool_input = {"command": text, "skill": text, "file_path": text, "notebook_path": text}
    event = {"tool_name": tool, "cwd": cwd, "tool_input": tool_input}
    data = written(event, rng).encode()
    assert loads(data) == event
    if is_high_value(event):
        assert may_matter(data, Options())


@given(
    needle=st.text(min_size=1, max_size=6),
    around=st.text(max_size=6),
    ascii_only=st.booleans(),
)
def test_no_needle_that_may_be_set_is_passed_over(
    needle: str, around: str, ascii_only: bool
) -> None:
    options = Options([needle])
    event = {"tool_name": "Bash", "cwd": "/w", "tool_input": {"command": around + needle + around}}
    data = json.dumps(event, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if is_high_value(event, options):
        assert may_matter(data, options)


@pytest.mark.parametrize(
    ("tool", "key", "text"),
    [
        ("Bash", "command", "python compile.py"),
        ("Skill", "args", "submit_prompt.py"),
        ("PowerShell", "command", "type projects\\demo\\inputs\\wf.json"),
        ("Bash", "command", "rm projects/demo/inputs/wf.json"),
    ],
)
def test_a_text_of_nothing_but_escapes_is_not_passed_over(tool: str, key: str, text: str) -> None:
    for form in ("04x", "04X"):
        spelled = "".join(f"\\u{ord(letter):{form}}" for letter in text)
        data = f'{{"tool_name":"{tool}","cwd":"/w","tool_input":{{"{key}":"{spelled}"}}}}'
        assert is_high_value(loads(data.encode()))
        assert may_matter(data.encode(), Options())


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
def test_a_file_tool_is_never_passed_over_for_its_path_may_be_a_link(tool: str) -> None:
    data = json.dumps({"tool_name": tool, "cwd": "/w", "tool_input": {"file_path": "x"}})
    assert may_matter(data.encode(), Options())
    escaped_name = "".join(f"\\u{ord(letter):04x}" for letter in tool)
    assert may_matter(data.replace(tool, escaped_name).encode(), Options())


@pytest.mark.parametrize(
    "command",
    ["git status", "ls -la projects", "cat inputs/a.json", "python build.py", "caf\u00e9 \x1b[0m"],
)
def test_a_command_without_a_mark_ends_at_the_bytes(command: str) -> None:
    event = {"tool_name": "Bash", "cwd": "/w", "tool_input": {"command": command}}
    assert not may_matter(json.dumps(event).encode(), Options())


def test_the_needles_are_those_of_the_contract() -> None:
    assert HIGH_VALUE_NEEDLES == ("compile.py", "submit_prompt.py")
    assert Options().needles == HIGH_VALUE_NEEDLES


def test_the_command_line_and_then_the_environment_set_the_options() -> None:
    words = ["--needle", "a.py", "--strict", "--needle", "b.py", "--inputs", "flows/*/in", "--odd"]
    options = options_from(words, {})
    assert options.needles == ("a.py", "b.py")
    assert options.inputs == ("flows", "*", "in")
    assert (options.strict, options.deadline) == (True, 2.0)
    options = options_from(
        words,
        {
            "CASSTORE_HOOK_NEEDLES": "c.py, d.py",
            "CASSTORE_HOOK_INPUTS": "x\\*\\y",
            "CASSTORE_HOOK_STRICT": "0",
            "CASSTORE_HOOK_DEADLINE": "0.5",
        },
    )
    assert options.needles == ("c.py", "d.py")
    assert options.inputs == ("x", "*", "y")
    assert (options.strict, options.deadline) == (False, 0.5)


@pytest.mark.parametrize("value", ["", "soon", "nan", "-1", "0", "1e9"])
def test_a_deadline_that_is_none_leaves_the_usual_one(value: str) -> None:
    assert options_from([], {"CASSTORE_HOOK_DEADLINE": value}).deadline == 2.0


@pytest.mark.parametrize("words", [["--needle"], ["--needle", ""], ["--inputs"], ["--inputs", ""]])
def test_an_option_without_a_value_leaves_the_usual_one(words: list[str]) -> None:
    options = options_from(words, {"CASSTORE_HOOK_NEEDLES": "", "CASSTORE_HOOK_INPUTS": ""})
    assert options.needles == HIGH_VALUE_NEEDLES
    assert options.inputs == ("projects", "*", "inputs")


@pytest.mark.parametrize(("value", "strict"), [("1", True), ("true", True), ("", False)])
def test_strict_mode_is_asked_for_by_the_environment(value: str, strict: bool) -> None:
    assert options_from([], {"CASSTORE_HOOK_STRICT": value}).strict is strict
