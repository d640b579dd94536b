"""Where the store is: the environment, else the project, else the folder one stands in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from casstore import open_store
from casstore.location import project_root, store_path

HOST = Path("host", ".cache", "checkpoint.sqlite")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "a" / "b").mkdir(parents=True)
    return folder


class TestProjectRoot:
    @pytest.mark.parametrize("marker", [".claude", ".git"])
    def test_is_the_nearest_folder_with_a_marker(self, project: Path, marker: str) -> None:
        (project / marker).mkdir()
        for start in (project, project / "a", project / "a" / "b"):
            assert project_root({}, str(start)) == str(project)
        (project / "a" / marker).mkdir()
        assert project_root({}, str(project / "a" / "b")) == str(project / "a")

    def test_a_marker_may_be_a_file(self, project: Path) -> None:
        (project / ".git").write_text("gitdir: elsewhere")  # a worktree's
        assert project_root({}, str(project / "a")) == str(project)

    def test_is_the_folder_itself_where_none_has_a_marker(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("casstore.location.MARKERS", (".no-such-marker",))
        assert project_root({}, str(project / "a")) == str(project / "a")

    def test_is_what_the_environment_names(self, project: Path) -> None:
        (project / ".git").mkdir()
        other = project / "a" / "b"
        named = {"CLAUDE_PROJECT_DIR": str(other)}
        assert project_root(named, str(project)) == str(other)
        assert project_root({"CLAUDE_PROJECT_DIR": "b"}, str(project / "a")) == str(other)
        assert project_root({"CLAUDE_PROJECT_DIR": str(other / "..")}, "/") == str(other.parent)
        assert project_root({"CLAUDE_PROJECT_DIR": ""}, str(project / "a")) == str(project)

    def test_the_process_environment_is_not_looked_at(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (project / ".git").mkdir()
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/elsewhere")
        monkeypatch.setenv("COMFYUI_AGENT_CHECKPOINT_DB", "/elsewhere/s.sqlite")
        assert project_root({}, str(project)) == str(project)
        assert store_path({}, str(project)) == str(project / HOST)


class TestStorePath:
    def test_is_in_the_project(self, project: Path) -> None:
        (project / ".git").mkdir()
        assert store_path({}, str(project / "a")) == str(project / HOST)
        named = {"CLAUDE_PROJECT_DIR": str(project / "a")}
        assert store_path(named, "/") == str(project / "a" / HOST)

    def test_is_what_the_environment_names(self, project: Path) -> None:
        for value, expected in (
            (str(project / "x.db"), project / "x.db"),
            ("x.db", project / "x.db"),
            (os.path.join("a", "..", "x.db"), project / "x.db"),
            ("~/x.db", Path.home() / "x.db"),
        ):
            named = {"COMFYUI_AGENT_CHECKPOINT_DB": value, "CLAUDE_PROJECT_DIR": "/elsewhere"}
            assert store_path(named, str(project)) == str(expected)
        assert store_path({"COMFYUI_AGENT_CHECKPOINT_DB": ""}, str(project)).endswith(str(HOST))


class TestOpening:
    """The same, as ``open_store()`` without a path does it."""

    def test_makes_the_store_of_the_project(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (project / ".claude").mkdir()
        monkeypatch.chdir(project / "a" / "b")
        with open_store() as store:
            assert Path(store.location).resolve() == (project / HOST).resolve()
        assert (project / HOST).exists()

    def test_makes_the_store_that_the_environment_names(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COMFYUI_AGENT_CHECKPOINT_DB", str(project / "new" / "s.db"))
        with open_store() as store:
            assert store.location == str(project / "new" / "s.db")
        assert (project / "new" / "s.db").exists()
