"""The Python client of the checkpoint contract: `save`, `restore`, `CheckpointError`.

`save` and `restore` work in the calling process. `ScriptClient` has the same two methods and asks
``save.py`` and ``restore.py`` as processes, for a host whose own Python lacks casstore: this file
imports the standard library alone and can be copied there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

__all__ = ["CheckpointError", "ScriptClient", "restore", "save"]


class CheckpointError(Exception):
    """A save or restore that did not happen; nothing was stored.

    ``code`` is stable (``session_not_found``, ``invalid_document``, ``busy``, …), ``exit_code``
    what the scripts end with, ``details`` further facts as JSON values.
    """

    def __init__(
        self, code: str, message: str, exit_code: int = 1, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.exit_code = exit_code
        self.details = dict(details or {})


def save(
    session_id: str,
    workflow_data: dict[str, Any],
    workflow_data_ui: dict[str, Any] | None = None,
    attributes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Saves one version; gives ``{"version_id": int, "created_at": str, "deduplicated": bool}``.

    The store is the one that ``COMFYUI_AGENT_CHECKPOINT_DB`` names, else
    ``host/.cache/checkpoint.sqlite`` under the project. Raises `CheckpointError`.
    """
    with _Translated():
        saved = _store(create=True).save(session_id, workflow_data, workflow_data_ui, attributes)
    return {
        "version_id": saved.version_id,
        "created_at": saved.created_at,
        "deduplicated": saved.deduplicated,
    }


def restore(session_id: str | None = None, version_id: int | None = None) -> dict[str, Any]:
    """The latest version of a session, or the version with an id, as the documented row:
    ``version_id``, ``session_id``, ``workflow_data``, ``workflow_data_ui``, ``attributes``,
    ``created_at``. Raises `CheckpointError`."""
    with _Translated():
        version = _store(create=False).restore(version_id=version_id, session_id=session_id)
    return version.as_dict()  # type: ignore[no-any-return]


_lock = threading.Lock()
_opened: dict[tuple[str, int, int], Any] = {}


def _store(*, create: bool) -> Any:
    """The open store of the current location. It stays open between calls, as long as the file
    there is the same one: a file that was replaced must not swallow saves."""
    from casstore.location import store_path
    from casstore.opening import open_store

    path = store_path(os.environ, os.getcwd())
    with _lock:
        key = _identity(path)
        if key is None or key not in _opened:
            for old in _opened.values():
                old.close()
            _opened.clear()
            store = open_store(path, create=create)
            key = _identity(path)
            if key is None:
                return store
            _opened[key] = store
        return _opened[key]


def _identity(path: str) -> tuple[str, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return path, found.st_dev, found.st_ino


class _Translated:
    """Turns casstore's errors into `CheckpointError`."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        from casstore.errors import CasstoreError

        if isinstance(error, CasstoreError):
            raise CheckpointError(
                error.code, error.message, error.exit_code, error.details
            ) from error


class ScriptClient:
    """The same client over ``save.py`` and ``restore.py`` as processes.

    ``scripts``: the folder that holds them. ``python``: an interpreter that has casstore's
    dependencies. ``timeout``: seconds for one call.
    """

    def __init__(
        self, scripts: str | os.PathLike[str], python: str = sys.executable, timeout: float = 60.0
    ) -> None:
        self._scripts = os.fspath(scripts)
        self._python = python
        self._timeout = timeout

    def save(
        self,
        session_id: str,
        workflow_data: dict[str, Any],
        workflow_data_ui: dict[str, Any] | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """See `save`."""
        request = {
            "session_id": session_id,
            "workflow_data": workflow_data,
            "workflow_data_ui": workflow_data_ui,
            "attributes": attributes,
        }
        for name, value in request.items():
            _check(value, name, 0)
        try:
            text = json.dumps(request)
        except ValueError as error:  # an integer with too many digits
            raise CheckpointError("invalid_document", f"workflow_data: {error}", 2) from None
        answer = self._run("save.py", [], text.encode("ascii"))
        return {name: answer[name] for name in ("version_id", "created_at", "deduplicated")}

    def restore(
        self, session_id: str | None = None, version_id: int | None = None
    ) -> dict[str, Any]:
        """See `restore`."""
        arguments = []
        if session_id is not None:
            arguments.append(f"--session-id={_argument(session_id)}")
        if version_id is not None:
            if type(version_id) is not int or version_id < 1:
                raise CheckpointError(
                    "invalid_version", f"a version id is a positive integer, not {version_id!r}", 2
                )
            arguments.append(f"--version-id={version_id}")
        if len(arguments) != 1:
            raise CheckpointError("usage", "name exactly one of version_id and session_id", 2)
        return self._run("restore.py", arguments, None)

    def _run(self, script: str, arguments: list[str], data: bytes | None) -> dict[str, Any]:
        path = os.path.join(self._scripts, script)
        try:
            done = subprocess.run(
                [self._python, path, *arguments],
                input=data if data is not None else b"",
                capture_output=True,
                timeout=self._timeout,
                check=False,
            )
            answer = json.loads(done.stdout)
        except subprocess.TimeoutExpired:
            raise CheckpointError(
                "busy", f"{path} did not answer within {self._timeout:g} s", 11
            ) from None
        except (OSError, ValueError) as error:
            raise CheckpointError("script_failed", f"{path} cannot be run: {error}") from None
        failure = answer.get("error") if isinstance(answer, dict) else {}
        if isinstance(failure, dict):
            details = {k: v for k, v in failure.items() if k not in ("code", "message")}
            raise CheckpointError(
                str(failure.get("code", "script_failed")),
                str(failure.get("message", f"{path} gave no JSON object")),
                done.returncode or 1,
                details,
            )
        return answer  # type: ignore[no-any-return]


def _argument(session_id: Any) -> str:
    """The label as a process argument, which can hold less than JSON."""
    if not isinstance(session_id, str) or not session_id or "\x00" in session_id:
        raise CheckpointError(
            "invalid_session", "session_id must be text, not empty, without NUL", 2
        )
    try:
        session_id.encode()
    except UnicodeEncodeError:
        raise CheckpointError("invalid_session", "session_id holds a lone surrogate", 2) from None
    return session_id


def _check(value: Any, where: str, depth: int) -> None:
    """Raises where ``json.dumps`` would write a value as another one: a tuple as a list, a key 1
    as "1"."""
    kind = type(value)
    if depth > 500:
        raise CheckpointError("invalid_document", f"{where} is nested deeper than 500 levels", 2)
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise CheckpointError(
                    "invalid_document", f"{where} has the key {key!r}; JSON keys are strings", 2
                )
            _check(item, f"{where}.{key}" if depth < 8 else where, depth + 1)
    elif kind is list:
        for item in value:
            _check(item, where, depth + 1)
    elif not (value is None or kind in (str, int, float, bool)):
        raise CheckpointError(
            "invalid_document",
            f"{where} is of type {kind.__name__}, which JSON text cannot give back",
            2,
        )
