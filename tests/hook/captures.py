"""Captures made by hand, as the hook would write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from casstore import inbox
from casstore.hook.jsonio import dumps

START_NS = 1_769_860_800_000_000_000
"""2026-01-31T12:00:00Z."""


def put(
    store_path: Path | str,
    files: dict[str, bytes | None],
    /,
    *,
    moment: int = 0,
    name: str | None = None,
    **changes: Any,
) -> str:
    """Writes a capture made ``moment`` milliseconds after `START_NS`; its name."""
    time_ns = START_NS + moment * 1_000_000
    header: dict[str, Any] = {
        "format": 1,
        "time_ns": time_ns,
        "event": "PreToolUse",
        "session_id": "s",
        "tool_name": "Edit",
        "tool_use_id": f"toolu_{moment}",
        "files": [
            {"path": path, "size": None if body is None else len(body), "project": "demo"}
            for path, body in files.items()
        ],
        **changes,
    }
    folder = inbox.inbox_of(str(store_path))
    inbox.make_folder(folder)
    name = name or inbox.new_name(time_ns)
    inbox.put(folder, name, inbox.encoded(dumps(header), list(files.values())))
    return name
