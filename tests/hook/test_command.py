"""What a command names is found in whatever way it is written, and nothing outside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.hook.command import MAX_WORDS, Named, named_in, words
from casstore.hook.scan import Options


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "repo"
    for project in ("demo", "my demo", "other"):
        inputs = made / "projects" / project / "inputs"
        inputs.mkdir(parents=True)
        (inputs / "wf.json").write_text("{}")
    (made / "flows").mkdir()
    (made / "flows" / "base.json").write_text("{}")
    return made


def named(command: str, root: Path, cwd: Path | None = None, home: str = "/home/x") -> Named:
    return named_in(command, str(cwd or root), str(root), {"HOME": home}, Options())


def shown(found: Named, root: Path) -> tuple[list[str], list[str]]:
    files = sorted(os.path.relpath(path, root) for path in found.files)
    return files, sorted(found.folders.values())


WF = "projects/demo/inputs/wf.json"


@pytest.mark.parametrize(
    ("command", "files", "projects"),
    [
        (f"sed -i s/a/b/ {WF}", [WF], ["demo"]),
        (f"python -c \"open('{WF}', 'w')\"", [WF], ["demo"]),
        (f"cat > {WF} <<EOF\n{{}}\nEOF", [WF], ["demo"]),
        ("cat > projects/demo/inputs/new.json", ["projects/demo/inputs/new.json"], ["demo"]),
        ("mkdir projects/demo/inputs/sub", [], ["demo"]),
        ("rm projects/demo/inputs/*.json", [], ["demo"]),
        (
            "jq . 'projects/my demo/inputs/wf.json'",
            ["projects/my demo/inputs/wf.json"],
            ["my demo"],
        ),
        (
            "jq . projects/my\\ demo/inputs/wf.json",
            ["projects/my demo/inputs/wf.json"],
            ["my demo"],
        ),
        ("cd projects/demo && vi inputs/wf.json", [WF], ["demo"]),
        ("cd projects/demo; cd inputs; vi wf.json", [WF], ["demo"]),
        (f"cp x $REPO/{WF}", [WF], ["demo"]),
        (f"cp x $(pwd)/{WF}", [WF], ["demo"]),
        (f"cp x ${{REPO}}/{WF}", [WF], ["demo"]),
        ("rm projects/*/inputs/wf.json", [], ["demo", "my demo", "other"]),
        ("rm projects/d*o/inputs/wf.json", [], ["demo"]),
        ("for p in demo; do rm projects/$p/inputs/wf.json; done", [], ["demo", "my demo", "other"]),
        ("python compile.py --project projects/other", [], ["other"]),
        ("python compile.py --project other", [], ["other"]),
        ("python compile.py flows/base.json", ["flows/base.json"], []),
        ("python compile.py flows/none.json", [], []),
        ("python compile.py", [], []),
    ],
)
def test_files_and_projects_of_a_command(
    command: str, files: list[str], projects: list[str], root: Path
) -> None:
    assert shown(named(command, root), root) == (files, projects)


def test_a_home_folder_is_the_users(root: Path) -> None:
    assert shown(named(f"vi ~/{WF}", root, home=str(root)), root) == ([WF], ["demo"])


def test_words_count_from_the_working_folder(root: Path) -> None:
    inside = root / "projects" / "demo"
    assert shown(named("vi inputs/wf.json", root, inside), root) == ([WF], ["demo"])
    assert shown(named("rm *", root, inside / "inputs"), root) == ([], ["demo"])


def test_a_path_outside_the_project_is_noted_and_not_taken(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else" / "projects" / "far" / "inputs"
    elsewhere.mkdir(parents=True)
    found = named(f"cp {elsewhere}/a.json .", root)
    assert (found.files, found.folders) == ({}, {})
    assert found.outside == [str(elsewhere)]


@given(st.text(max_size=200))
def test_any_text_is_cut_into_words(text: str) -> None:
    found = words(text)
    assert "" not in found
    assert len(found) == len(set(found)) <= MAX_WORDS


def test_a_command_of_a_megabyte_is_bounded() -> None:
    assert len(words(" ".join(f"w{number}/x" for number in range(100_000)))) <= MAX_WORDS
