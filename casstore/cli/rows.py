"""Writes the rows of SQL results: as one JSON object, as tables, or as tab-separated lines.

Each writer takes results as `casstore.cli.statements.run_all` hands them over, and puts UTF-8
bytes into a file. None holds more than a part of the rows.
"""

from __future__ import annotations

from casstore import jsontext
from casstore.cli import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO


class JsonRows:
    """``{"results": [{"columns": […], "rows": [[…], …], "changes": 0, "inserted": null}, …]}``"""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._results = 0
        self._rows = 0

    def begin(self, columns: Sequence[str]) -> None:
        self._out.write(b"," if self._results else b'{"results":[')
        self._out.write(b'{"columns":%s,"rows":[' % jsontext.dumps(list(columns)))
        self._results += 1
        self._rows = 0

    def rows(self, rows: Sequence[Sequence[object]]) -> None:
        for row in rows:
            self._out.write(b",[" if self._rows else b"[")
            self._out.write(b",".join(map(_json_cell, row)))
            self._out.write(b"]")
            self._rows += 1

    def end(self, changes: int, inserted: int | None) -> None:
        self._out.write(
            b'],"changes":%d,"inserted":%s}' % (changes, jsontext.dumps(inserted or None))
        )

    def close(self) -> None:
        """Ends the object."""
        self._out.write(b"]}\n")


def _json_cell(value: object) -> bytes:
    if isinstance(value, bytes):
        return b'{"hex":"%s"}' % value.hex().encode()
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return b"9e999" if value > 0 else b"-9e999"  # JSON has no infinity; readers make it one
    return jsontext.dumps(value)


class TableRows:
    """An aligned table for a terminal of ``width`` columns; long cells are cut."""

    def __init__(self, out: IO[bytes], *, width: int, color: bool) -> None:
        self._out = out
        self._width = width
        self._color = color
        self._table: terminal.Table | None = None
        self._results = 0
        self._columns = 0
        self._rows = 0

    def begin(self, columns: Sequence[str]) -> None:
        if self._results:
            self._text("\n")
        self._results += 1
        self._rows = 0
        self._table = None
        self._columns = len(columns)
        if columns:
            self._table = terminal.Table(columns, width=self._width, color=self._color)

    def rows(self, rows: Sequence[Sequence[object]]) -> None:
        assert self._table is not None
        self._rows += len(rows)
        numeric = [
            all(value is None or isinstance(value, (int, float)) for value in column)
            for column in zip(*rows, strict=True)
        ]
        self._text(self._table.part([[_cell(value) for value in row] for row in rows], numeric))

    def end(self, changes: int, inserted: int | None) -> None:
        if self._table is None:
            self._text(f"{terminal.counted(changes, 'version')} changed\n")
            return
        if not self._rows:
            self._text(self._table.part([], [False] * self._columns))
        self._text(f"({terminal.counted(self._rows, 'row')})\n")

    def close(self) -> None:
        """Nothing is left to write."""

    def _text(self, text: str) -> None:
        self._out.write(text.encode("utf-8", "backslashreplace"))


class TabRows:
    """A line of names and a line for each row, cells parted by tabs, for other programs; control
    characters in a cell are escaped, so that a line is a row."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._results = 0

    def begin(self, columns: Sequence[str]) -> None:
        if self._results:
            self._out.write(b"\n")
        self._results += 1
        if columns:
            self.rows([columns])

    def rows(self, rows: Sequence[Sequence[object]]) -> None:
        for row in rows:
            line = "\t".join(terminal.printable(_cell(value)) for value in row)
            self._out.write(line.encode("utf-8", "backslashreplace") + b"\n")

    def end(self, changes: int, inserted: int | None) -> None:
        """Lines are rows; what a statement changed is in ``--json`` and on a terminal."""

    def close(self) -> None:
        """Nothing is left to write."""


def _cell(value: object) -> str:
    """A value as SQL writes it, text without its quotes."""
    if value is None:
        return "NULL"
    return f"x'{value.hex()}'" if isinstance(value, bytes) else str(value)
