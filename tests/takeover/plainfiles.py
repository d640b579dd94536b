"""Plain databases as ports of the documented table leave them, and their rows read raw."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import casstore

NAMES = ("id", "session_id", "workflow_data", "workflow_data_ui", "attributes", "created_at")

DOCUMENTED = """CREATE TABLE workflow_version (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  workflow_data TEXT NOT NULL,
  workflow_data_ui TEXT,
  attributes TEXT,
  created_at TEXT NOT NULL)"""

# As SQLAlchemy makes it for ComfyUI-Copilot; rows with NULL halves are met there.
COPILOT = """CREATE TABLE workflow_version (
\tid INTEGER NOT NULL,
\tsession_id VARCHAR(255) NOT NULL,
\tworkflow_data JSON,
\tworkflow_data_ui JSON,
\tattributes JSON,
\tcreated_at DATETIME,
\tPRIMARY KEY (id)
)"""

NO_TYPES = (
    "CREATE TABLE workflow_version (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id, "
    "workflow_data, workflow_data_ui, attributes, created_at)"
)

Row = tuple[Any, ...]

ROWS: list[Row] = [
    (1, "a", '{"1": {"class_type": "A", "inputs": {"b": 1, "a": 2.50}}}', None, None, "2025-07-01"),
    (
        2,
        "a",
        '{"1": {"class_type": "A", "inputs": {"b": 1, "a": 3.50}}}',
        '{"nodes":[]}',
        "{}",
        "x",
    ),
    (5, "b", '{"x":1,"x":2}', None, '{ "k": 1 }', "2025-07-01 12:34:56.789012"),
    (9, "a", "not JSON {", "null", None, "2025-07-01T12:34:56Z"),
]


def make(
    path: Path, rows: Iterable[Row] = ROWS, *, table: str = DOCUMENTED, then: Iterable[str] = ()
) -> Path:
    """A plain database of these rows, on which the statements ``then`` were run."""
    connection = sqlite3.connect(path)
    connection.execute(table)
    connection.executemany("INSERT INTO workflow_version VALUES (?, ?, ?, ?, ?, ?)", rows)
    for statement in then:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


class Text(bytes):
    """A TEXT value; ``bytes`` are a BLOB."""

    __slots__ = ()


def raw_rows(path: Path) -> list[Row]:
    """The rows of a plain file as stored: `Text`, ``bytes``, numbers, None."""
    connection = sqlite3.connect(path)
    connection.text_factory = Text
    try:
        return connection.execute(
            f"SELECT {', '.join(NAMES)} FROM workflow_version ORDER BY id"
        ).fetchall()
    finally:
        connection.close()


def store_rows(path: Path) -> list[Row]:
    """The rows of a store, read through the documented view."""
    connection = casstore.connect(path)
    try:
        return connection.execute(
            f"SELECT {', '.join(NAMES)} FROM workflow_version ORDER BY id"
        ).fetchall()
    finally:
        connection.close()


def kind(path: Path) -> str:
    """``plain`` or ``store``, by the schema's own words. Ends what a killed process left open."""
    connection = sqlite3.connect(path)
    try:
        found = dict(connection.execute("SELECT name, type FROM sqlite_master"))
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {"table": "plain", "view": "store"}[found["workflow_version"]]
    finally:
        connection.close()


def beside(path: Path) -> list[Path]:
    """The backup copies and temporary files beside a file."""
    return sorted(path.parent.glob(f"{path.name}.plain*"))


def counter(path: Path) -> int:
    """The id that the AUTOINCREMENT counter of a store stands at."""
    connection = sqlite3.connect(path)
    try:
        row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'versions'")
        return int(row.fetchone()[0])
    finally:
        connection.close()


def pages(data: bytes) -> bytes:
    """A SQLite file without the fields in which SQLite counts writes and schema changes
    (https://sqlite.org/fileformat2.html#file_change_counter)."""
    return data[:24] + data[28:40] + data[44:92] + data[100:]
