"""The project's texts keep their own rules: the skill is valid, the README's commands are two."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="skills-ref needs Python 3.11")
def test_the_skill_is_valid_in_a_folder_of_its_name(tmp_path: Path) -> None:
    skill = tmp_path / "comfyui-checkpoint"
    shutil.copytree(ROOT / "scripts", skill / "scripts")
    shutil.copy(ROOT / "SKILL.md", skill)
    command = Path(sys.executable).with_name("agentskills")
    done = subprocess.run([command, "validate", skill], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_skill_is_short_and_states_the_contract() -> None:
    text = (ROOT / "SKILL.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 200
    for word in ("session_id", "workflow_data_ui", "--version-id", "--session-id", "version_id"):
        assert word in text


def test_the_readme_sets_up_with_exactly_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert [command.count("\n") for command in commands[:2]] == [1, 1]
    assert commands[0].rstrip().endswith("casstore demo")
    assert commands[1].rstrip().endswith("-m pytest -q")


def test_links_between_the_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "benchmarks/README.md"]:
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_skill_and_the_changelog_speak_of_this_version() -> None:
    import casstore

    skill = (ROOT / "SKILL.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version: "{casstore.__version__}"' in skill
    assert f'version = "{casstore.__version__}"' in project
