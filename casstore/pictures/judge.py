"""Decides which of a picture's texts are its prompt and its workflow, and keeps them exactly.

A text is judged by what it holds: a document in the API format is the prompt, one in the UI
format the workflow, whatever name it stood under. What is neither becomes a note.
"""

from __future__ import annotations

from casstore import jsontext
from casstore.errors import InvalidDocument
from casstore.formats import API, UI, workflow_format
from casstore.pictures.found import PROMPT, UNNAMED, WORKFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, NamedTuple

    from casstore.pictures.file import PictureFile
    from casstore.pictures.found import Found
else:
    from casstore._namedtuple import NamedTuple

_WRAPS = 4
"""JSON strings that a document may be wrapped in. ComfyUI has written up to three: copying a
video's metadata wrote texts as JSON again."""

_SPACE = "\ufeff \t\r\n\x00"
_LABELS = {API: PROMPT, UI: WORKFLOW}


class Verdict(NamedTuple):
    """The JSON texts of a picture's documents, None where it has none."""

    prompt: str | None
    workflow: str | None
    damaged: bool
    """True where a checksum contradicts one of them."""


def judged(file: PictureFile, found: Iterable[Found]) -> Verdict:
    """The documents among texts. Of two of a kind the later counts, as in ComfyUI's editor."""
    chosen: dict[str, tuple[str, bool]] = {}
    for piece in found:
        for text, value in _documents(file, piece):
            label = _LABELS.get(workflow_format(value))
            if label is None:
                file.note(f"its {piece.label} ({piece.place}) is JSON, but no ComfyUI workflow")
                continue
            if label in chosen and chosen[label][0] != text:
                file.note(f"it holds more than one {label}; the last one counts")
            chosen[label] = text, piece.damaged
            if piece.damaged:
                file.note(
                    f"the checksum of its {label} ({piece.place}) is wrong, so the text may have "
                    f"been changed"
                )
    prompt, workflow = (chosen.get(label, (None, False)) for label in (PROMPT, WORKFLOW))
    return Verdict(prompt[0], workflow[0], prompt[1] or workflow[1])


def _documents(file: PictureFile, piece: Found) -> Iterator[tuple[str, Any]]:
    """The JSON objects of a text, each with its own text: itself, or the values of an object
    ``{"prompt": …, "workflow": …}``."""
    where = f"its {piece.label or 'metadata'} ({piece.place})"
    try:
        text, value = _unwrapped(piece.text, where)
    except InvalidDocument as error:
        if piece.label != UNNAMED:  # a comment may be about anything
            file.note(error.message)
        return
    if type(value) is not dict:
        if piece.label != UNNAMED and value is not None:
            file.note(f"{where} is JSON, but no ComfyUI workflow")
        return
    if workflow_format(value) in _LABELS:
        yield text, value
        return
    inside = [value[label] for label in (PROMPT, WORKFLOW) if value.get(label) is not None]
    if not inside and piece.label != UNNAMED:
        yield text, value  # for the note
    for part in inside:
        try:
            if isinstance(part, str):
                text, part = _unwrapped(part, where)
            else:
                text = jsontext.dumps(part).decode()
        except InvalidDocument as error:
            file.note(error.message)
        else:
            yield text, part


def _unwrapped(text: str, where: str) -> tuple[str, Any]:
    """The text and value of a document that may be wrapped in JSON strings. Raises
    `InvalidDocument` for what casstore could not keep exactly."""
    for _ in range(_WRAPS + 1):
        text = text.strip(_SPACE)
        value = jsontext.loads(text, where=where)
        if type(value) is not str:
            jsontext.check(value, where)
            return text.encode("utf-8", "backslashreplace").decode(), value
        text = value
    raise InvalidDocument(f"{where} is wrapped in more than {_WRAPS} JSON strings")
