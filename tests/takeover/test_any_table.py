"""Property: whatever rows a plain table holds, they read back the same, and the counter goes on."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import casstore
from casstore.takeover import migrate, take_over
from tests.takeover import plainfiles
from tests.takeover.plainfiles import COPILOT, DOCUMENTED, NO_TYPES, Row, Text

# A SQLite TEXT value is UTF-8; a lone surrogate can stand in JSON as an escape only.
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)

SMALL = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))

JSON = st.builds(
    lambda value, indent: json.dumps(value, indent=indent),
    st.one_of(SMALL, st.lists(SMALL, max_size=3), st.dictionaries(ANY_TEXT, SMALL, max_size=3)),
    st.sampled_from([None, 2]),
)

DUPLICATES = st.lists(st.tuples(st.sampled_from("ab"), JSON), min_size=2, max_size=4).map(
    lambda pairs: "{" + ",".join(f'"{key}": {text}' for key, text in pairs) + "}"
)

HALF = st.one_of(
    st.none(),
    JSON,
    DUPLICATES,
    ANY_TEXT,
    JSON.map(lambda text: text[:-1]),
    st.binary(max_size=20).map(lambda data: Text(data) if data else Text(b"\x80")),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.sampled_from(["", "null", "\x00", "NaN", "1.0", "1e5", " {} ", "\ufeff{}", "[" * 600]),
)

SESSION = st.one_of(st.sampled_from(["a", "b", "", None]), ANY_TEXT).map(
    lambda text: text.replace("\x00", "") if text else text
)

TIME = st.one_of(
    st.none(), ANY_TEXT, st.sampled_from(["2025-07-01 12:34:56.789012", "2025-07-01T12:34:56Z"])
)

VALUE = st.tuples(SESSION, HALF, HALF, st.one_of(st.none(), JSON, ANY_TEXT), TIME)

IDS = st.one_of(
    st.integers(1, 50), st.integers(1, 2**40), st.sampled_from([2**31, 2**53 + 1, 2**63 - 2])
)

ROWS = st.dictionaries(IDS, VALUE, max_size=8).map(
    lambda rows: [(row_id, *rows[row_id]) for row_id in sorted(rows)]
)

TABLES = st.sampled_from([DOCUMENTED, NO_TYPES, COPILOT]).map(
    lambda table: table.replace(" NOT NULL", "")
)


def make(folder: Path, table: str, rows: list[Row], gap: int) -> Path:
    """The plain file; ``gap`` is by how much its counter is above the largest id."""
    path = folder / "plain.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(table)
    for row in rows:
        marks = ["CAST(? AS TEXT)" if isinstance(value, Text) else "?" for value in row]
        values = [bytes(value) if isinstance(value, Text) else value for value in row]
        connection.execute(f"INSERT INTO workflow_version VALUES ({', '.join(marks)})", values)
    if "AUTOINCREMENT" in table and rows:
        last = min(rows[-1][0] + gap, 2**63 - 2)
        connection.execute("UPDATE sqlite_sequence SET seq = ?", (last,))
    connection.commit()
    connection.close()
    return path


def expected(rows: list[Row]) -> list[Row]:
    """Of rows as stored, what a store answers: texts, each with its bytes."""
    return [(row[0], *(as_bytes(value) for value in row[1:])) for row in rows]


def as_bytes(value: object) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, float) and abs(value) == float("inf"):
        return b"Infinity" if value > 0 else b"-Infinity"
    return repr(value).encode()


def answered(path: Path) -> list[Row]:
    """What the store answers for each version, payloads as bytes."""
    rows = []
    with casstore.open_store(path) as store:
        for info in store.versions():
            row, data, ui = store.restore_texts(version_id=info.version_id)
            texts = (row.session, data and data[0], ui and ui[0], row.attributes, row.created_at)
            rows.append(
                (row.id, *(t.encode() if isinstance(t, str) else t for t in texts)),
            )
    return rows


@given(TABLES, ROWS, st.integers(0, 5))
def test_any_rows_come_back_the_same(table: str, rows: list[Row], gap: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = make(Path(name), table, rows, gap)
        original, raw = path.read_bytes(), plainfiles.raw_rows(path)
        copied = Path(name) / "copied.sqlite"
        migrate(path, copied)
        assert path.read_bytes() == original
        done = take_over(path)
        assert answered(path) == answered(copied) == expected(raw)
        assert done.versions == len(rows)
        numbers = sum(
            value is not None and not isinstance(value, Text) for row in raw for value in row[1:]
        )
        assert done.retyped == numbers
        last = 0
        if rows:
            last = min(rows[-1][0] + (gap if "AUTOINCREMENT" in table else 0), 2**63 - 2)
        assert plainfiles.counter(path) == plainfiles.counter(copied) == last
        assert done.backup is not None
        assert plainfiles.raw_rows(Path(done.backup)) == raw
        assert plainfiles.pages(Path(done.backup).read_bytes()) == plainfiles.pages(original)
