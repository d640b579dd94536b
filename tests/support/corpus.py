"""Real workflow files that are not part of the project: used where they are there.

``CASSTORE_CORPUS`` names a folder with any number of ``*.json`` files, and beside or in it perhaps
a ``hard_inputs.py`` whose ``HARD_INPUTS`` are rows of name, bytes and what must become of them
(``exact``, ``either``, ``error`` or ``policy``). Without it a folder ``shared`` beside the
checkout is taken.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from tests.support import ROOT


def folder() -> Path | None:
    """The folder, where there is one."""
    named = os.environ.get("CASSTORE_CORPUS")
    found = Path(named) if named else ROOT.parent / "shared"
    return found if found.is_dir() else None


def files() -> list[Path]:
    """Every JSON file in it."""
    where = folder()
    return [] if where is None else sorted(where.rglob("*.json"))


def hard_inputs() -> list[tuple[str, bytes, str]]:
    """The rows of its ``hard_inputs.py``."""
    where = folder()
    for path in (
        [] if where is None else [where / "hard_inputs.py", where.parent / "hard_inputs.py"]
    ):
        if path.is_file():
            spec = importlib.util.spec_from_file_location("corpus_hard_inputs", path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return list(module.HARD_INPUTS)
    return []
