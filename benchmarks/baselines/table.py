"""The documented plain table over the standard library: one row per version, whole JSON texts."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS workflow_version (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    workflow_data TEXT,
    workflow_data_ui TEXT,
    attributes TEXT,
    created_at TEXT
);
CREATE INDEX IF NOT EXISTS workflow_version_session ON workflow_version (session_id);
"""
INSERT = """
INSERT INTO workflow_version
    (session_id, workflow_data, workflow_data_ui, attributes, created_at)
VALUES (?, ?, ?, ?, ?)
"""
SELECT = """
SELECT id, session_id, workflow_data, workflow_data_ui, attributes, created_at
FROM workflow_version WHERE id = ?
"""


class PlainTable:
    """One open connection, the cheapest way to use the table."""

    def __init__(self, folder: Path, journal_mode: str) -> None:
        self._connection = sqlite3.connect(folder / "table.sqlite")
        self._connection.execute(f"PRAGMA journal_mode = {journal_mode}")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.executescript(SCHEMA)

    def save(self, session_id: str, document: dict[str, Any]) -> int:
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        with self._connection:
            cursor = self._connection.execute(
                INSERT, (session_id, json.dumps(document), None, None, now)
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def restore(self, key: int) -> Any:
        row = self._connection.execute(SELECT, (key,)).fetchone()
        return json.loads(row[2])

    def close(self) -> None:
        self._connection.close()
