"""What a question answers: figures with what they should reach, tables, and how both are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.timing import Times, percentile

Cell = str | int | float


class Figure(NamedTuple):
    """One measured value. ``reach`` is the most it may be; None where nothing is promised."""

    what: str
    value: float
    unit: str
    reach: float | None = None

    @property
    def reached(self) -> bool | None:
        return None if self.reach is None else self.value <= self.reach

    def as_dict(self) -> dict[str, object]:
        return {**self._asdict(), "value": round(self.value, 4), "reached": self.reached}


class Table(NamedTuple):
    """Measurements behind the figures; every row has one cell per column."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def as_dict(self) -> dict[str, object]:
        return {
            "title": self.title,
            "columns": list(self.columns),
            "rows": [[round(c, 4) if isinstance(c, float) else c for c in r] for r in self.rows],
        }


class Answer(NamedTuple):
    """One question's result. ``missing`` names what could not be measured here, and why."""

    figures: Sequence[Figure]
    tables: Sequence[Table] = ()
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()

    def with_note(self, note: str) -> Answer:
        return self._replace(notes=(*self.notes, note))

    def as_dict(self) -> dict[str, object]:
        return {
            "figures": [figure.as_dict() for figure in self.figures],
            "tables": [table.as_dict() for table in self.tables],
            "missing": list(self.missing),
            "notes": list(self.notes),
        }


def contest(title: str, times: Times, ours: str) -> Table:
    """A table of one contest: microseconds, and the ratio of ``ours`` to each other row."""
    rows: list[list[Cell]] = []
    for name, seconds in times.items():
        row: list[Cell] = [name]
        for fraction in (0.5, 0.99):
            row.append(percentile(seconds, fraction) * 1e6)
        for fraction in (0.5, 0.99):
            row.append("" if name == ours else ratio(times, ours, name, fraction))
        rows.append(row)
    columns = ("store", "p50 µs", "p99 µs", f"p50 of {ours}: x this", "p99: x this")
    return Table(title, columns, rows)


def ratio(times: Times, ours: str, theirs: str, fraction: float) -> float:
    """Our percentile over theirs: below 1, we are faster."""
    return percentile(times[ours], fraction) / percentile(times[theirs], fraction)


def markdown(question: str, asks: str, answer: Answer) -> str:
    """The answer as Markdown that also reads well on a terminal."""
    parts = [f"## {question}\n\n{asks}\n\n"]
    rows = [
        (
            figure.what,
            f"{shown(figure.value)} {figure.unit}".strip(),
            "" if figure.reach is None else f"{shown(figure.reach)} {figure.unit}".strip(),
            {None: "", True: "reached", False: "**not reached**"}[figure.reached],
        )
        for figure in answer.figures
    ]
    parts.append(grid(("figure", "measured", "at most", ""), rows))
    for table in answer.tables:
        parts.append(f"\n{table.title}\n\n{grid(table.columns, table.rows)}")
    for text in (*answer.notes, *(f"Not measured: {gap}" for gap in answer.missing)):
        parts.append(f"\n- {text}\n" if parts[-1][:3] != "\n- " else f"- {text}\n")
    return "".join(parts)


def grid(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A Markdown table with aligned columns; numbers to the right."""
    body = [[cell if isinstance(cell, str) else shown(cell) for cell in row] for row in rows]
    widths = [max(len(cell) for cell in column) for column in zip(columns, *body, strict=True)]
    right = [all(row[i][:1].isdigit() for row in body) for i in range(len(columns))]

    def line(cells: Sequence[str]) -> str:
        fitted = (
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(cells, widths, right, strict=True)
        )
        return f"| {' | '.join(fitted)} |\n"

    rule = [
        "-" * (width - 1) + (":" if to_right else "-")
        for width, to_right in zip(widths, right, strict=True)
    ]
    return line(columns) + line(rule) + "".join(line(row) for row in body)


def shown(value: Cell) -> str:
    """A number at the precision it deserves: three significant digits below 1000."""
    if isinstance(value, float):
        if abs(value) >= 100:
            return f"{value:,.0f}"
        return f"{value:.3g}" if abs(value) >= 0.001 or value == 0 else f"{value:.1e}"
    return f"{value:,}" if isinstance(value, int) else value
