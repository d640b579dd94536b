"""`is_high_value`: which calls a checkpoint is due before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.hook import is_high_value
from casstore.hook.scan import Options

WF = "projects/demo/inputs/wf.json"


def event(tool: str, cwd: str = "/w", **tool_input: Any) -> dict[str, Any]:
    return {"tool_name": tool, "cwd": cwd, "tool_input": tool_input}


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("Write", "file_path"),
        ("Edit", "file_path"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
    ],
)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"/w/{WF}", True),
        (WF, True),
        ("/w/projects/demo/inputs/a/b/c/deep.json", True),
        ("/w/host/projects/demo/inputs/wf.json", True),
        ("projects\\demo\\inputs\\wf.json", True),
        ("C:\\repo\\projects\\demo\\inputs\\wf.json", True),
        ("/w/src/../projects/demo/./inputs//wf.json", True),
        ("/w/projects/demo/inputs/picture.png", True),
        ("/w/projects/ein Projekt é/inputs/wf.json", True),
        ("/w/projects/demo/inputs", False),
        ("/w/projects/demo/inputs/../outputs/wf.json", False),
        ("/w/projects/inputs/wf.json", False),
        ("/w/projects/a/b/inputs/wf.json", False),
        ("/w/myprojects/demo/inputs/wf.json", False),
        ("/w/projects/demo/inputs2/wf.json", False),
        ("/w/src/main.py", False),
        ("", False),
    ],
)
def test_a_file_tool_counts_by_where_its_path_lies(
    tool: str, key: str, path: str, expected: bool
) -> None:
    assert is_high_value(event(tool, **{key: path})) is expected


def test_a_relative_path_counts_from_the_working_folder() -> None:
    assert is_high_value(event("Edit", "/w/projects/demo", file_path="inputs/wf.json"))
    assert is_high_value(event("Edit", "/w/projects/demo/inputs", file_path="wf.json"))
    assert not is_high_value(event("Edit", "/w/projects/demo", file_path="wf.json"))


def test_a_link_into_an_inputs_folder_counts(tmp_path: Path) -> None:
    inputs = tmp_path / "projects" / "demo" / "inputs"
    inputs.mkdir(parents=True)
    (tmp_path / "short").symlink_to(inputs)
    (tmp_path / "one.json").symlink_to(inputs / "wf.json")
    assert is_high_value(event("Write", str(tmp_path), file_path="short/new.json"))
    assert is_high_value(event("Write", str(tmp_path), file_path="one.json"))
    assert is_high_value(event("Write", str(tmp_path), file_path="short/../inputs/new.json"))
    assert not is_high_value(event("Write", str(tmp_path), file_path="short/../new.json"))


def test_a_circle_of_links_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert not is_high_value(event("Write", str(tmp_path), file_path="a/wf.json"))


@pytest.mark.parametrize("tool", ["Bash", "PowerShell"])
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python scripts/compile.py demo", True),
        ("cd x && python3 /opt/submit_prompt.py --now", True),
        ("recompile.python", True),
        (f"sed -i s/a/b/ {WF}", True),
        (f"cat > {WF} <<'EOF'\n{{}}\nEOF", True),
        (f"python -c \"open('{WF}','w')\"", True),
        ("jq . < '/w/projects/my demo/inputs/a b.json'", True),
        ("cat projects/my\\ demo/inputs/a.json", True),
        ("cd projects/demo && sed -i s/a/b/ inputs/wf.json", True),
        ("cd projects/demo/inputs && rm wf.json", True),
        ("git -C projects/demo checkout inputs/wf.json", True),
        ("rm projects/*/inputs/*.json", True),
        ("cp a.json $ROOT/projects/demo/inputs/b.json", True),
        ("cp a.json ~/projects/demo/inputs/", True),
        ("type projects\\demo\\inputs\\wf.json", True),
        ("python x.py --file=projects/demo/inputs/wf.json", True),
        ("ls projects/demo/inputs", True),
        ("python compile_all.py", False),
        ("git status", False),
        ("ls projects/demo", False),
        ("ls projects inputs", False),
        ("cat projects/demo/outputs/wf.json", False),
        ("", False),
    ],
)
def test_a_command_counts_by_what_it_says(tool: str, command: str, expected: bool) -> None:
    assert is_high_value(event(tool, command=command)) is expected


def test_in_an_inputs_folder_a_command_counts_where_it_names_a_file(tmp_path: Path) -> None:
    inputs = tmp_path / "projects" / "demo" / "inputs"
    inputs.mkdir(parents=True)
    (inputs / "notes").write_text("x")
    for command, expected in (
        ("rm wf.json", True),
        ("sed -i s/a/b/ *", True),
        ("rm notes", True),
        ("git status", False),
        ("ls", False),
    ):
        assert is_high_value(event("Bash", str(inputs), command=command)) is expected, command


@pytest.mark.parametrize(
    ("tool_input", "expected"),
    [
        ({"skill": "comfy", "args": "run compile.py"}, True),
        ({"skill": "submit_prompt.py"}, True),
        ({"skill": "comfy", "args": ["--x", {"y": "submit_prompt.py"}]}, True),
        ({"skill": "comfy", "args": f"show {WF}"}, False),
        ({"skill": "comfy", "other": "compile.py"}, False),
        ({"skill": "comfy"}, False),
    ],
)
def test_a_skill_counts_by_its_name_and_arguments(
    tool_input: dict[str, Any], expected: bool
) -> None:
    assert is_high_value(event("Skill", **tool_input)) is expected


@pytest.mark.parametrize("tool", ["Read", "Grep", "Task", "mcp__x__Write", "write", "", "WebFetch"])
def test_other_tools_never_count(tool: str) -> None:
    assert not is_high_value(event(tool, file_path=f"/w/{WF}", command="compile.py"))


def test_what_the_command_only_describes_does_not_count() -> None:
    assert not is_high_value(event("Bash", command="ls", description="before compile.py"))
    assert not is_high_value(event("Write", file_path="/w/a.py", content=f"compile.py {WF}"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda child: st.lists(child, max_size=3) | st.dictionaries(st.text(max_size=8), child),
    max_leaves=12,
)
TOOL_INPUT = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("file_path", "command", "skill", "args", "notebook_path"), JSON)
)


@given(
    value=JSON
    | st.fixed_dictionaries(
        {"tool_name": st.sampled_from(["Bash", "Edit", "Skill", "NotebookEdit"]) | JSON},
        optional={"tool_input": TOOL_INPUT | JSON, "cwd": JSON},
    )
)
def test_any_json_is_judged_without_failing(value: Any) -> None:
    assert is_high_value(value) in (True, False)


def test_needles_and_pattern_can_be_set() -> None:
    options = Options(["render.sh"], "flows/*/graphs")
    assert is_high_value(event("Bash", command="./render.sh"), options)
    assert is_high_value(event("Edit", file_path="/w/flows/a/graphs/b.json"), options)
    assert not is_high_value(event("Bash", command="compile.py"), options)
    assert not is_high_value(event("Edit", file_path=f"/w/{WF}"), options)


def test_a_pattern_needs_no_project_id() -> None:
    options = Options(["x"], "workflows")
    assert is_high_value(event("Edit", file_path="/w/workflows/b.json"), options)
    assert not is_high_value(event("Edit", file_path="/w/workflows"), options)


def test_a_project_id_is_a_name(tmp_path: Path) -> None:
    options = Options(["x"], "*/inputs")
    assert is_high_value(event("Edit", file_path="/demo/inputs/b.json"), options)
    assert not is_high_value(event("Edit", file_path="/inputs/b.json"), options)
