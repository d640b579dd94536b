"""git as a store of versions: the compact JSON as one file per session, ``add`` and ``commit``.

``core.fsync=all`` makes both durable on return. No template, hooks or signing; automatic packing
is off, so that ``collect`` (``gc --aggressive --prune=now``) does all of it at once.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.templates import compact

_CONFIG = {
    "user.name": "benchmark",
    "user.email": "benchmark@example.invalid",
    "commit.gpgSign": "false",
    "core.fsync": "all",
    "core.hooksPath": os.devnull,
    "gc.auto": "0",
    "maintenance.auto": "false",
}


class Git:
    def __init__(self, folder: Path, _journal_mode: str) -> None:
        self.folder = folder
        self._commits = 0
        self._environment = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": str(len(_CONFIG)),
        }
        for number, (key, value) in enumerate(_CONFIG.items()):
            self._environment[f"GIT_CONFIG_KEY_{number}"] = key
            self._environment[f"GIT_CONFIG_VALUE_{number}"] = value
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
            self._environment.pop(name, None)
        self._git("init", "--quiet", "--template=", "--initial-branch=main")

    def save(self, session_id: str, document: dict[str, Any]) -> tuple[int, str]:
        name = f"{session_id}.json"
        (self.folder / name).write_bytes(compact(document))
        self._git("add", "--", name)
        self._git("commit", "--quiet", "--allow-empty", "--message", session_id)
        self._commits += 1
        return self._commits, name

    def restore(self, key: tuple[int, str]) -> Any:
        number, name = key
        commit = f"HEAD~{self._commits - number}"
        return json.loads(self._git("cat-file", "blob", f"{commit}:{name}"))

    def collect(self) -> None:
        """Pack everything as small as git can."""
        self._git("gc", "--quiet", "--aggressive", "--prune=now")

    @property
    def repository(self) -> Path:
        """What git keeps beside the work tree: objects, index, references and their logs."""
        return self.folder / ".git"

    def close(self) -> None:
        """Nothing stays open."""

    def _git(self, *arguments: str) -> bytes:
        return subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=self._environment,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        ).stdout
