"""Installing adds the casstore entries to a settings file and keeps everything else in it."""

from __future__ import annotations

import json
import os
import random
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.errors import InvalidDocument, StorageFailed
from casstore.hook import settings_file, wiring
from casstore.hook.settings_file import SettingsFile
from tests.hook.test_settings_text import NAMES, VALUES, loosely
from tests.support import ROOT

SCRIPT = str(ROOT / "scripts" / "checkpoint_pre.py")


def groups(*options: str, post: bool = False) -> list[tuple[str, str, dict[str, Any]]]:
    return wiring.wanted("/elsewhere", options=options, post=post, powershell=False)


def install(path: Path, *options: str, post: bool = False) -> bool:
    return wiring.install(SettingsFile(str(path)), groups(*options, post=post))


def uninstall(path: Path) -> bool:
    return wiring.uninstall(SettingsFile(str(path)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / ".claude").mkdir()
    return tmp_path / ".claude" / "settings.json"


def test_a_new_file_holds_the_two_entries_of_the_contract(path: Path) -> None:
    path.parent.rmdir()
    assert install(path)
    handler = {
        "type": "command",
        "command": sys.executable,
        "args": ["-I", "-S", SCRIPT],
        "timeout": 10,
    }
    assert json.loads(path.read_text()) == {
        "hooks": {
            "PreToolUse": [
                {"matcher": "Write|Edit|NotebookEdit", "hooks": [handler]},
                {"matcher": "Skill|Bash", "hooks": [handler]},
            ]
        }
    }
    assert path.read_text().endswith("}\n")


def test_a_second_time_changes_nothing(path: Path) -> None:
    install(path, "--strict", post=True)
    before = path.read_bytes(), path.stat().st_ino
    assert not install(path, "--strict", post=True)
    assert (path.read_bytes(), path.stat().st_ino) == before


def test_other_options_replace_the_entries(path: Path) -> None:
    install(path, post=True)
    assert install(path, "--strict", "--needle", "x y.py")
    settings = json.loads(path.read_text())
    assert list(settings["hooks"]) == ["PreToolUse"]
    assert len(wiring.entries(settings)) == 2
    arguments = settings["hooks"]["PreToolUse"][0]["hooks"][0]["args"]
    assert arguments == ["-I", "-S", SCRIPT, "--strict", "--needle", "x y.py"]


def test_powershell_and_the_hook_after_a_call_are_optional() -> None:
    made = wiring.wanted(None, options=["--strict"], post=True, powershell=True)
    assert [(event, matcher) for event, matcher, _ in made] == [
        ("PreToolUse", "Write|Edit|NotebookEdit"),
        ("PreToolUse", "Skill|Bash|PowerShell"),
        ("PostToolUse", "Write|Edit|NotebookEdit"),
        ("PostToolUse", "Skill|Bash|PowerShell"),
    ]
    assert "--strict" in made[0][2]["args"]
    assert "--strict" not in made[2][2]["args"]


def test_a_package_inside_the_project_is_named_from_its_folder() -> None:
    arguments = wiring.handler("PreToolUse", str(ROOT))["args"]
    assert arguments == ["-I", "-S", "${CLAUDE_PROJECT_DIR}/scripts/checkpoint_pre.py"]
    arguments = wiring.handler("PreToolUse", str(ROOT.parent))["args"]
    assert arguments[2] == f"${{CLAUDE_PROJECT_DIR}}/{ROOT.name}/scripts/checkpoint_pre.py"
    assert wiring.handler("PreToolUse", None)["args"][2] == SCRIPT


OTHER = {"type": "command", "command": "echo checkpoint_pre.py.bak"}
HAND_MADE = """{
    // ignored
    "permissions": {"allow": ["Bash(ls:*)"],   "deny": []},
    "hooks": {
        "Stop": [ {"hooks": [ {"type": "command", "command": "say done"} ]} ],
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [ { "type": "command", "command": "guard.sh", "timeout": 5 } ]
            }
        ]
    },

    "model": "é",
    "env": { }
}

""".replace("    // ignored\n", "")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_everything_else_in_the_file_stays_to_the_byte(
    newline: str, start: bytes, path: Path
) -> None:
    before = start + HAND_MADE.replace("\n", newline).encode()
    path.write_bytes(before)
    assert install(path)
    after = path.read_bytes()
    assert after.startswith(start)
    assert b"\r\n" in after or newline == "\n"
    assert after.count(b"\n") == after.count(newline.encode())
    lines = [line for line in before.splitlines() if line.strip()]
    assert [line for line in after.splitlines() if line in lines and line.strip()][:7] == lines[:7]
    settings = json.loads(after.decode("utf-8-sig"))
    assert [g["matcher"] for g in settings["hooks"]["PreToolUse"]] == [
        "Bash",
        "Write|Edit|NotebookEdit",
        "Skill|Bash",
    ]
    assert uninstall(path)
    assert path.read_bytes() == before


GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.just(OTHER) | VALUES, max_size=2)},
        optional={"matcher": st.sampled_from(["Bash", "*", ""])},
    )
    | VALUES,
    max_size=3,
)


@given(
    settings=st.dictionaries(NAMES.filter(lambda name: name != "hooks"), VALUES, max_size=3),
    hooks=st.none()
    | st.dictionaries(
        st.sampled_from(["PreToolUse", "PostToolUse", "Stop", "é"]), GROUPS, max_size=4
    ),
    post=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_any_settings_come_back_after_install_and_uninstall(
    tmp_path_factory: pytest.TempPathFactory,
    settings: dict[str, Any],
    hooks: dict[str, Any] | None,
    post: bool,
    seed: int,
) -> None:
    rng = random.Random(seed)
    if hooks is not None:
        settings = {**settings, "hooks": hooks}
    path = tmp_path_factory.mktemp("settings") / "settings.json"
    before = loosely(settings, rng)
    path.write_bytes(before.encode())
    assert install(path, post=post)
    installed = json.loads(path.read_bytes())
    assert len(wiring.entries(installed)) == (4 if post else 2)
    for key, value in settings.items():
        if key != "hooks":
            assert installed[key] == value
    for event, old in (hooks or {}).items():
        assert installed["hooks"][event][: len(old)] == old
    assert not install(path, post=post)
    assert uninstall(path)
    back = json.loads(path.read_bytes())
    kept = {event: old for event, old in (hooks or {}).items() if old}
    assert {event: old for event, old in back.pop("hooks", {}).items() if old} == kept
    assert back == {key: value for key, value in settings.items() if key != "hooks"}


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b'{\n  "a": 1\n  "b": 2\n}', 3, 3),
        (b'{\n  // comment\n  "a": 1\n}', 2, 3),
        (b"{", 1, 2),
        (b"{} {}", 1, 4),
    ],
)
def test_invalid_json_is_refused_with_its_place(
    data: bytes, line: int, column: int, path: Path
) -> None:
    path.write_bytes(data)
    with pytest.raises(InvalidDocument) as caught:
        install(path)
    assert caught.value.details == {"path": str(path), "line": line, "column": column}
    assert f"at line {line}, column {column}" in caught.value.message
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "data",
    [
        b"[]",
        b"5",
        b'"x"',
        b"\xff\xfe{\0}\0",
        b'{"hooks": []}',
        b'{"hooks": {"PreToolUse": {}}}',
        b"[" * 100_000,
    ],
)
def test_settings_of_another_shape_are_refused(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    with pytest.raises(InvalidDocument):
        install(path)
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == ["settings.json"]


@pytest.mark.parametrize("data", [b"", b"\n", b"  \r\n"])
def test_an_empty_file_is_taken_for_no_settings(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    assert install(path)
    assert len(wiring.entries(json.loads(path.read_text()))) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_the_files_mode_and_a_link_to_it_are_kept(path: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    path.symlink_to(real)
    assert install(path)
    assert path.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert len(wiring.entries(json.loads(real.read_text()))) == 2


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_leaves_the_old_file(
    step: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("{}")

    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(settings_file.os, step, full)
    with pytest.raises(StorageFailed, match="No space"):
        install(path)
    monkeypatch.undo()
    assert path.read_text() == "{}"
    assert os.listdir(path.parent) == ["settings.json"]


def test_a_change_of_somebody_elses_meanwhile_is_not_overwritten(path: Path) -> None:
    path.write_text("{}")
    file = SettingsFile(str(path))
    path.write_text('{"model": "x"}')
    with pytest.raises(StorageFailed, match="another program"):
        wiring.install(file, groups())
    assert path.read_text() == '{"model": "x"}'


@pytest.mark.parametrize(
    ("handler", "ours"),
    [
        ({"type": "command", "command": "python3", "args": ["-S", "/x/checkpoint_pre.py"]}, True),
        ({"type": "command", "command": "python scripts/checkpoint_pre.py"}, True),
        ({"type": "command", "command": 'py "C:\\a b\\checkpoint_post.py" --strict'}, True),
        ({"type": "command", "command": "my_checkpoint_pre.py"}, False),
        ({"type": "command", "command": "cat checkpoint_pre.py.txt"}, False),
        ({"type": "prompt", "command": "checkpoint_pre.py"}, False),
        ({"type": "command", "command": None, "args": [5]}, False),
        ({}, False),
        ("checkpoint_pre.py", False),
        (None, False),
    ],
)
def test_an_entry_is_known_by_the_script_it_runs(handler: Any, ours: bool) -> None:
    assert wiring.is_ours(handler) is ours


def test_an_older_entry_of_the_shell_form_is_replaced(path: Path) -> None:
    old = {"type": "command", "command": "python scripts/checkpoint_pre.py"}
    both = [{"matcher": "*", "hooks": [{"type": "command", "command": "x"}, old]}]
    path.write_text(json.dumps({"hooks": {"PreToolUse": both}}))
    assert install(path)
    first, *rest = json.loads(path.read_text())["hooks"]["PreToolUse"]
    assert first == {"matcher": "*", "hooks": [{"type": "command", "command": "x"}]}
    assert len(rest) == 2


def test_taking_out_what_is_not_in_changes_nothing(path: Path) -> None:
    assert not uninstall(path)
    assert not path.exists()
    path.write_text(HAND_MADE)
    assert not uninstall(path)
    assert path.read_text() == HAND_MADE
