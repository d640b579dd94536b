"""Shows versions with what is known of them: as text for people and as JSON values."""

from __future__ import annotations

import click

from casstore.cli import terminal
from casstore.store import attributes_value
from casstore.when import local_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from casstore.history import Entry
    from casstore.store import Store

KEYS = (
    "version_id, session_id, created_at, path, tool, change, previous_version, content_hash, size, "
    "stored_bytes, tags, pinned, note, damaged"
)
"""What the help of a command says that each version has."""

INDENT = 4
"""Columns before the lines that say what changed."""

_INDENT = " " * INDENT


def values(store: Store, entry: Entry) -> dict[str, Any]:
    """An entry for ``--json``."""
    row = entry.row
    info = store.version(row.id)
    return {
        "version_id": row.id,
        "session_id": row.session,
        "created_at": row.created_at,
        "path": row.path,
        "tool": entry.tool,
        "change": entry.change,
        "previous_version": entry.previous,
        "content_hash": info.content_hash,
        "size": info.size,
        "stored_bytes": entry.stored_bytes,
        "tags": list(entry.marks.tags),
        "pinned": entry.marks.pinned,
        "note": entry.marks.note,
        "damaged": entry.damaged,
    }


def text(entry: Entry, *, width: int, color: bool) -> str:
    """Two lines and more: the facts, what changed, and what people put on the version."""
    row = entry.row
    facts = [
        click.style(str(row.id), fg="yellow") if color else str(row.id),
        local_text(entry.time, row.created_at),
        terminal.size(entry.stored_bytes),
        terminal.printable(entry.tool),
        *(f"[{terminal.printable(tag)}]" for tag in entry.marks.tags),
    ]
    if entry.marks.pinned:
        facts.append("[pinned]")
    where = row.path if row.path is not None else row.session
    first = "  ".join(facts)
    room = width - terminal.width_of(click.unstyle(first)) - 2
    place = terminal.printable(where or "no session")
    lines = [f"{first}  {_end(place, room)}" if room >= 8 else first]
    lines.append(_INDENT + terminal.cut(terminal.printable(entry.change), width - len(_INDENT)))
    if entry.marks.note:
        note = terminal.printable(" ".join(entry.marks.note.split()))
        lines.append(_INDENT + terminal.cut(f"note: {note}", width - len(_INDENT)))
    return "".join(f"{line}\n" for line in lines)


def _end(text: str, width: int) -> str:
    """The end of a text that is too long: of a path that is the file."""
    if terminal.width_of(text) <= width:
        return text
    while text and terminal.width_of(text) > width - 1:
        text = text[1:]
    return f"…{text}"


def attributes(entry: Entry) -> Any:
    """The object saved with the version."""
    return attributes_value(entry.row.attributes)
