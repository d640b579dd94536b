"""The stream of saves every question uses: several sessions at work in turn, equal for all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.edits import session
from benchmarks.templates import Template, compact


class Options(NamedTuple):
    """How a question is asked. ``folder`` is empty and on the disk that is measured."""

    folder: Path
    quick: bool = False


class Save(NamedTuple):
    """One save. ``document`` changes with the next step of its session: copy it to keep it."""

    session_id: str
    document: dict[str, Any]

    def fingerprint(self) -> bytes:
        """The digest of the compact text, to compare a restored document with."""
        return fingerprint(self.document)


def fingerprint(document: object) -> bytes:
    return hashlib.sha256(compact(document)).digest()


def interleaved(templates: Sequence[Template], edits: int, seed: int = 1) -> Iterator[Save]:
    """One session per template, each saved as it is and after each edit, turn by turn.

    Interleaved, because agents work side by side, and because it is the harder order for a store:
    neighbours in the file belong to different sessions.
    """
    sessions = [
        (f"session-{number:03d}", session(template.load(), seed * 1000 + number, edits))
        for number, template in enumerate(templates)
    ]
    for _ in range(edits + 1):
        for session_id, steps in sessions:
            yield Save(session_id, next(steps).document)


def tree_bytes(folder: Path) -> int:
    """Bytes of every file under ``folder``."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
