"""A way to read made bytes as a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from casstore import pictures

Read = Callable[[bytes], pictures.Picture]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads bytes from a file whose name ends in nothing that helps."""
    monkeypatch.chdir(tmp_path)

    def read(data: bytes) -> pictures.Picture:
        Path("picture.bin").write_bytes(data)
        return pictures.read("picture.bin")

    return read
