"""Going back gives the captured bytes, keeps the present ones, and never leaves the project."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import casstore
from casstore import rollback as module
from casstore.errors import UsageError
from casstore.rollback import NothingCaptured, Rollback
from casstore.workspace import OutsideProject, Workspace

FILE = "projects/demo/inputs/wf.json"
GOOD = b'{\n  "3": {"class_type": "KSampler", "inputs": {}}\n}\n'
BROKEN = b'{"3": {"class_type":'


class Project:
    """A project folder with a store, and a stand-in for what the hook captures."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.store = casstore.open_store(root / "host" / ".cache" / "checkpoint.sqlite")
        self.back = Rollback(self.store, str(root))
        self.actions = 0

    def capture(self, *paths: str, session: str = "s") -> str:
        self.actions += 1
        action = f"toolu_{self.actions}"
        for path in paths or (FILE,):
            attributes = {"source": "hook", "tool_use_id": action}
            self.store.save_file(session, self.read(path), path=path, attributes=attributes)
        return action

    def read(self, path: str = FILE) -> bytes | None:
        file = self.root / path
        return file.read_bytes() if file.exists() else None

    def write(self, data: bytes, path: str = FILE) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def count(self) -> int:
        return self.store.info().versions


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    made = Project(tmp_path)
    yield made
    made.store.close()


def test_a_broken_edit_is_undone_to_the_byte_and_the_broken_file_is_kept(project: Project) -> None:
    project.write(GOOD)
    project.capture()
    project.write(BROKEN)
    step = project.back.of_path(FILE)
    assert (step.action, step.version_id) == ("write", 1)
    (done,) = project.back.carry_out([step])
    assert project.read() == GOOD
    assert project.store.restore_source(done.kept_as) == BROKEN
    project.back.carry_out([project.back.to_version(done.kept_as)])
    assert project.read() == BROKEN


def test_planning_changes_nothing(project: Project) -> None:
    project.write(GOOD)
    project.capture()
    project.write(BROKEN)
    project.back.of_path(FILE)
    assert (project.read(), project.count()) == (BROKEN, 1)


def test_a_file_that_did_not_exist_is_removed_and_can_come_back(project: Project) -> None:
    project.capture()
    project.write(GOOD)
    step = project.back.of_path(FILE)
    assert (step.action, step.target) == ("remove", None)
    (done,) = project.back.carry_out([step])
    assert project.read() is None
    project.back.carry_out([project.back.to_version(done.kept_as)])
    assert project.read() == GOOD


def test_where_the_latest_equals_the_file_it_goes_to_the_one_before_and_says_so(
    project: Project,
) -> None:
    project.write(b"{}")
    project.capture()
    project.write(GOOD)
    project.capture()
    project.capture()
    step = project.back.of_path(FILE)
    assert (step.version_id, step.passed_over, step.target) == (1, 2, b"{}")


def test_repeating_it_goes_to_and_fro_and_piles_up_nothing(project: Project) -> None:
    states = [b'{"v":%d}' % number for number in range(4)]
    for state in states:
        project.write(state)
        project.capture()
    project.write(BROKEN)
    seen = []
    for _ in range(4):
        project.back.carry_out([project.back.of_path(FILE)])
        seen.append(project.read())
    assert seen == [states[3], states[2], states[3], states[2]]
    assert project.count() == 5  # the four, and the broken one once


def test_nothing_to_do_is_not_a_change(project: Project) -> None:
    project.write(GOOD)
    project.capture()
    step = project.back.of_path(FILE)
    assert step.action == "nothing"
    assert project.back.carry_out([step]) == []
    assert project.count() == 1


def test_all_files_of_an_action_go_back_together(project: Project) -> None:
    other = "projects/demo/inputs/deep/other.json"
    project.write(GOOD)
    project.capture()
    project.write(b'{"a":1}', other)
    action = project.capture(FILE, other)
    project.write(BROKEN)
    project.write(BROKEN, other)
    steps = project.back.before_action(action)
    assert [step.path for step in steps] == sorted([FILE, other])
    project.back.carry_out(steps)
    assert (project.read(), project.read(other)) == (GOOD, b'{"a":1}')
    assert [s.path for s in project.back.before_action(action, other)] == [other]


def test_a_session_goes_back_before_its_last_action_or_since_a_version(project: Project) -> None:
    other = "projects/demo/inputs/other.json"
    project.write(b'{"v":1}')
    project.capture()  # version 1
    project.write(b'{"v":2}')
    project.capture()  # version 2
    project.write(b'{"v":3}')
    project.capture(FILE, other)  # versions 3 and 4, other is absent
    project.write(b'{"v":4}')
    project.write(b"{}", other)
    project.capture(session="another")
    steps = project.back.of_session("s")
    assert {(s.path, s.version_id) for s in steps} == {(FILE, 3), (other, 4)}
    steps = project.back.of_session("s", since=2)
    assert {(s.path, s.version_id) for s in steps} == {(FILE, 2), (other, 4)}
    project.back.carry_out(steps)
    assert (project.read(), project.read(other)) == (b'{"v":2}', None)


def test_what_was_never_captured_is_an_error(project: Project) -> None:
    project.store.save("s", {"a": 1})
    with pytest.raises(NothingCaptured):
        project.back.of_path(FILE)
    with pytest.raises(NothingCaptured):
        project.back.before_action("toolu_9")
    with pytest.raises(NothingCaptured):
        project.back.of_session("s")
    with pytest.raises(UsageError):
        project.back.to_version(1)
    assert project.back.to_version(1, FILE).target == b'{"a":1}'


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x", "a/../../x", "a//b", "", ".", "a/./b", "a\x00b", "a/", "..", "/"],
)
def test_no_path_leads_out_of_the_project(project: Project, path: str) -> None:
    files = Workspace(str(project.root))
    with pytest.raises(OutsideProject):
        files.read(path)
    with pytest.raises(OutsideProject):
        files.write(path, b"x")
    with pytest.raises(OutsideProject):
        files.remove(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_are_not_followed_in_folders_nor_at_the_end(project: Project, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    secret = outside / "secret.json"
    secret.write_bytes(b"secret")
    (project.root / "projects").mkdir()
    (project.root / "projects" / "link").symlink_to(outside)
    (project.root / "file-link.json").symlink_to(secret)
    files = Workspace(str(project.root))
    for path in ("projects/link/secret.json", "file-link.json"):
        with pytest.raises(OutsideProject):
            files.read(path)
        with pytest.raises(OutsideProject):
            files.write(path, b"changed")
        with pytest.raises(OutsideProject):
            files.remove(path)
    with pytest.raises(OutsideProject):
        files.write("projects/link/new.json", b"x")
    assert secret.read_bytes() == b"secret"
    assert os.listdir(outside) == ["secret.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs")
def test_a_fifo_neither_blocks_nor_is_replaced(project: Project) -> None:
    os.mkfifo(project.root / "pipe.json")
    files = Workspace(str(project.root))
    with pytest.raises(OutsideProject):
        files.read("pipe.json")
    with pytest.raises(OutsideProject):
        files.write("pipe.json", b"x")


def test_an_existing_file_keeps_its_mode(project: Project) -> None:
    project.write(GOOD)
    (project.root / FILE).chmod(0o640)
    Workspace(str(project.root)).write(FILE, BROKEN)
    assert (project.root / FILE).stat().st_mode & 0o777 == (0o640 if os.name != "nt" else 0o666)
    assert sorted(os.listdir((project.root / FILE).parent)) == ["wf.json"]


def test_a_write_that_fails_leaves_the_old_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(GOOD)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(casstore.StorageFailed):
        Workspace(str(project.root)).write(FILE, BROKEN)
    assert project.read() == GOOD
    assert sorted(os.listdir((project.root / FILE).parent)) == ["wf.json"]


CONTENT = st.sampled_from([None, b"{}", b'{"a":1}', b"\xff\x00", b"", b'{"nodes":[]}'])


class Going(RuleBasedStateMachine):
    """Whatever an agent does between, every state that was ever on disk when it was captured or
    left by a rollback can be brought back to the byte."""

    @initialize(folder=st.just(None))
    def start(self, folder: None) -> None:
        import tempfile

        self._folder = tempfile.TemporaryDirectory()
        self.project = Project(Path(self._folder.name))
        self.versions: dict[int, bytes | None] = {}

    def _note(self) -> None:
        for info in self.project.store.versions():
            if info.version_id not in self.versions:
                self.versions[info.version_id] = self.project.store.restore_source(info.version_id)

    @rule(content=CONTENT)
    def agent(self, content: bytes | None) -> None:
        before = self.project.read()
        self.project.capture()
        self._note()
        assert self.versions[max(self.versions)] == before
        self._set(content)

    @rule(content=CONTENT)
    def person(self, content: bytes | None) -> None:
        self._set(content)

    def _set(self, content: bytes | None) -> None:
        if content is None:
            (self.project.root / FILE).unlink(missing_ok=True)
        else:
            self.project.write(content)

    @precondition(lambda self: self.versions)
    @rule(data=st.data())
    def back(self, data: st.DataObject) -> None:
        present, count = self.project.read(), self.project.count()
        target = data.draw(st.sampled_from([None, *self.versions]))
        back = self.project.back
        step = back.of_path(FILE) if target is None else back.to_version(target)
        done = back.carry_out([step])
        self._note()
        assert self.project.read() == step.target
        if target is not None:
            assert step.target == self.versions[target]
        else:
            others = [state for state in self.versions.values() if state != present]
            assert done or not others or set(others) <= self._left()
        if done:
            assert self.versions[done[0].kept_as] == present
        held = [state for version, state in self.versions.items() if version <= count]
        assert self.project.count() == count + (1 if done and present not in held else 0)

    def _left(self) -> set[bytes | None]:
        return {
            self.versions[info.version_id] for info in self.project.store.versions(module.SESSION)
        } | {
            self.versions[info.version_id]
            for info in self.project.store.versions("s")
            if info.attributes.get("source") == "rollback"
        }

    @invariant()
    def every_version_restores(self) -> None:
        for version, state in getattr(self, "versions", {}).items():
            assert self.project.store.restore_source(version) == state

    def teardown(self) -> None:
        if hasattr(self, "project"):
            self.project.store.close()
            self._folder.cleanup()


TestGoing = Going.TestCase
TestGoing.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
