"""docs/cli.md says of every command what the command says itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from casstore.cli import reference

DOCUMENT = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_help_in_the_document_is_the_help_of_the_commands() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == reference.refreshed(text), "run: python -m casstore.cli.reference docs/cli.md"


def test_every_command_is_in_it() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for path, _ in reference.helps():
        assert f"### `{path}`\n" in text


def test_a_document_without_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks the lines"):
        reference.refreshed("# Something else\n")
