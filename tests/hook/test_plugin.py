"""The plugin packaging says the same as ``casstore hook install``, and its files are there."""

from __future__ import annotations

import json

import casstore
from casstore.hook import wiring
from tests.support import ROOT


def test_the_hooks_of_the_plugin_are_those_that_install_writes() -> None:
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    wanted = wiring.wanted(None, options=[], post=False, powershell=True)
    found = wiring.entries({"hooks": hooks})
    assert [(entry.event, entry.matcher) for entry in found] == [
        (event, matcher) for event, matcher, _ in wanted
    ]
    for entry in found:
        assert entry.handler == {
            "type": "command",
            "command": "python3",
            "args": ["-I", "-S", "${CLAUDE_PLUGIN_ROOT}/scripts/checkpoint_pre.py"],
            "timeout": wiring.TIMEOUT,
        }
    assert (ROOT / "scripts" / "checkpoint_pre.py").is_file()


def test_the_plugin_names_this_version_and_the_skill_beside_it() -> None:
    plugin = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
    assert plugin["name"] == "casstore"
    assert plugin["version"] == casstore.__version__
    assert (ROOT / plugin["skills"] / "SKILL.md").is_file()
