"""Puts captured files back as they were, keeping the present state first so that it can be undone.

A captured version of a file is the file as it was *before* an action. Going back therefore means
the newest captured state that differs from what is on disk.
"""

from __future__ import annotations

from casstore.digests import sha256
from casstore.errors import NotFound, UsageError
from casstore.store import Store
from casstore.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple

    from casstore.records import VersionInfo
else:
    from casstore._namedtuple import NamedTuple

SESSION = "rollback"
"""The session of the states that a rollback keeps for files whose version names none."""

ABSENT = "absent"


class NothingCaptured(NotFound):
    """No captured version fits what was asked for."""

    code = "nothing_captured"


class Step(NamedTuple):
    """What going back means for one file."""

    path: str
    version_id: int
    """The version whose state the file gets."""
    created_at: str | None
    session_id: str | None
    target: bytes | None
    """The bytes of that state; None: the file did not exist."""
    present: bytes | None
    """The bytes on disk now; None: there is no file."""
    passed_over: int = 0
    """Newer captured versions that equal what is on disk."""

    @property
    def action(self) -> str:
        """``write``, ``remove``, or ``nothing`` where the file is so already."""
        if self.target == self.present:
            return "nothing"
        return "remove" if self.target is None else "write"


class Done(NamedTuple):
    """A step that was carried out."""

    step: Step
    kept_as: int
    """The version that holds the state before; restoring it undoes the step."""


class Rollback:
    """Plans and carries out going back, for the project whose files are under ``root``."""

    def __init__(self, store: Store, root: str) -> None:
        self._store = store
        self._files = Workspace(root)

    def of_path(self, path: str) -> Step:
        """To the newest captured state of this file that differs from the file on disk; where
        all are equal to it, the step's action is ``nothing``."""
        present = self._files.read(path)
        equal: list[VersionInfo] = []
        for info in self._store.versions(path=path, newest_first=True):
            if _is_rollback(info):  # states that somebody went away from
                continue
            if not self._holds(info, present):
                return self._step(info, present)._replace(passed_over=len(equal))
            equal.append(info)
        if not equal:
            raise NothingCaptured(
                f"no version of {path} was captured; casstore restore goes to any saved version",
                path=path,
            )
        return self._step(equal[0], present)

    def to_version(self, version_id: int, path: str | None = None) -> Step:
        """To the state that a version captured, of its own file or of ``path``."""
        info = self._store.version(version_id)
        where = path or info.path
        if where is None:
            raise UsageError(
                f"version {version_id} was not captured from a file; name the file to write, "
                f"or use casstore restore --version {version_id} --to FILE"
            )
        return self._step(info._replace(path=where), self._files.read(where))

    def before_action(self, tool_use_id: str, path: str | None = None) -> list[Step]:
        """To the state before one action of an agent: every file it captured, or just ``path``."""
        found = [
            info
            for info in self._action(tool_use_id, self._store.versions(newest_first=True))
            if path is None or info.path == path
        ]
        if not found:
            raise NothingCaptured(
                f"no file was captured before the action {tool_use_id}", tool_use_id=tool_use_id
            )
        return self._steps(found)

    def of_session(self, session_id: str, since: int | None = None) -> list[Step]:
        """To the state before the last captured action of a session; or, with ``since``, before
        all of its actions from that version on."""
        captured = (
            info
            for info in self._store.versions(session_id, newest_first=True)
            if info.path is not None and not _is_rollback(info)
        )
        if since is None:
            last = next(captured, None)
            if last is None:
                found = []
            else:
                action = _tool_use_id(last)
                rest = self._action(action, captured) if action else ()
                found = [last, *rest]
        else:
            found = []
            for info in captured:
                if info.version_id < since:
                    break
                found.append(info)
        if not found:
            raise NothingCaptured(
                f"no file was captured in the session {session_id!r}"
                + (f" from version {since} on" if since is not None else ""),
                session_id=session_id,
            )
        return self._steps(found)

    def carry_out(self, steps: list[Step]) -> list[Done]:
        """Does what the steps say, file by file, each at once. Steps with nothing to do are left
        out."""
        return [self._carry_out(step) for step in steps if step.action != "nothing"]

    def _carry_out(self, step: Step) -> Done:
        kept = self._keep(step)
        if step.target is None:
            self._files.remove(step.path)
        else:
            self._files.write(step.path, step.target)
        return Done(step, kept)

    def _keep(self, step: Step) -> int:
        """Saves the present state, unless a version of the file holds it already: going back and
        forth must not pile up versions."""
        for info in self._store.versions(path=step.path, newest_first=True):
            if self._holds(info, step.present):
                return info.version_id
        attributes = {"source": "rollback", "path": step.path, "to": step.version_id}
        if step.present is None:
            attributes["absent"] = True
        return self._store.save_file(
            step.session_id or SESSION, step.present, path=step.path, attributes=attributes
        ).version_id

    def _steps(self, found: list[VersionInfo]) -> list[Step]:
        """One step a file, to the oldest of its versions in ``found``."""
        oldest: dict[str, VersionInfo] = {}
        for info in found:
            if info.path is not None and (
                info.path not in oldest or info.version_id < oldest[info.path].version_id
            ):
                oldest[info.path] = info
        return [self._step(info, self._files.read(path)) for path, info in sorted(oldest.items())]

    def _step(self, info: VersionInfo, present: bytes | None) -> Step:
        assert info.path is not None
        return Step(
            info.path,
            info.version_id,
            info.created_at,
            info.session_id,
            self._state(info),
            present,
        )

    def _state(self, info: VersionInfo) -> bytes | None:
        """The bytes of the file as a version holds it: those captured, else its document."""
        source = self._store.restore_source(info.version_id)
        if source is not None:
            return source
        if isinstance(info.attributes, dict) and info.attributes.get("format") == ABSENT:
            return None
        document = self._store.restore_texts(info.version_id)[1]
        return document[0] if document is not None else None

    def _holds(self, info: VersionInfo, present: bytes | None) -> bool:
        """True where a version's state of the file is ``present``. Compares digests where there
        are some: a file may have thousands of versions."""
        digest = self._store.source_digest(info.version_id)
        if digest is not None and present is not None:
            return digest == sha256(present)
        return self._state(info) == present

    @staticmethod
    def _action(tool_use_id: str, newest_first: Iterator[VersionInfo]) -> Iterator[VersionInfo]:
        """The versions of one action. They were captured at once, so that they end where other
        actions' versions of the same session begin."""
        session: tuple[str | None] | None = None
        for info in newest_first:
            if _tool_use_id(info) == tool_use_id:
                session = (info.session_id,)
                if info.path is not None:
                    yield info
            elif session == (info.session_id,):
                return


def _tool_use_id(info: VersionInfo) -> str | None:
    found = info.attributes.get("tool_use_id") if isinstance(info.attributes, dict) else None
    return found if isinstance(found, str) else None


def _is_rollback(info: VersionInfo) -> bool:
    return isinstance(info.attributes, dict) and info.attributes.get("source") == "rollback"
