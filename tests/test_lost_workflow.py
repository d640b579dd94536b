"""The commands of docs/lost-workflow.md do what the page says, one after the other."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from click.testing import CliRunner

import casstore
from casstore.cli.app import app
from tests.cli.conftest import project  # noqa: F401  # a fixture

DOCUMENT = Path(__file__).parents[1] / "docs" / "lost-workflow.md"
SAMPLE = Path(casstore.__file__).parent / "samples" / "text_to_image.json"


def commands() -> list[list[str]]:
    """Every line of the page's shell blocks, as arguments of ``casstore``."""
    found, inside = [], False
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```sh"
        elif inside and line:
            name, *arguments = shlex.split(line)
            assert name == "casstore"
            found.append(arguments)
    return found


def test_the_way_back(project: Path) -> None:  # noqa: F811
    file = project / "projects" / "demo" / "inputs" / "wf.json"
    original = SAMPLE.read_bytes()
    without = json.loads(original)
    without["nodes"] = [node for node in without["nodes"] if node["type"] != "KSampler"]
    for content in (original, original.replace(b"20", b"30"), json.dumps(without).encode()):
        file.write_bytes(content)
        run = CliRunner().invoke(app, ["save", str(file), "--session", "demo"])
        assert run.exit_code == 0, run.output
    said = {}
    for arguments in commands():
        if "10 minutes ago" in " ".join(arguments):
            continue
        run = CliRunner().invoke(app, arguments)
        assert run.exit_code == 0, (arguments, run.output)
        said[" ".join(arguments)] = run.output
    assert len(said) == 13
    assert said["sessions"].splitlines()[2].startswith("demo")
    assert [line.split()[0] for line in said["log demo"].splitlines()[::2]] == ["3", "2", "1"]
    assert said["find --node KSampler"].splitlines()[0].startswith("2 ")
    assert said["show demo~1"].startswith("version     2\n")
    assert (project / "found.json").read_bytes() == original
    assert "would be put back" in said["rollback --to demo~2 --dry-run"]
    assert file.read_bytes() == original
    assert "the one for the poster" in said["show works"]
