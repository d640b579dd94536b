"""What does one save cost in-process, beside the stores it could be instead?

Reach: p50 at most 0.9 of the plain table and 1.2 of LangGraph's ``SqliteSaver``; p99 at most that
of the plain table. Measured on the median and the p90 template, five sessions of edits in turn,
every store open, durable on return, in one journal mode. git is two processes per save and is
measured apart, so that they do not disturb the others.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from benchmarks import baselines
from benchmarks.baselines import CASSTORE, GIT, LANGGRAPH, TABLE, Contestant
from benchmarks.report import Answer, Figure, Table, contest, ratio
from benchmarks.templates import MEDIAN, P90, Template, around
from benchmarks.timing import Times, alternate
from benchmarks.workload import Options, Save, interleaved

SESSIONS = 5


def run(options: Options) -> Answer:
    figures: list[Figure] = []
    tables: list[Table] = []
    missing: list[str] = []
    edits, git_edits = (8, 2) if options.quick else (400, 12)
    for name, fraction in (("median", MEDIAN), ("p90", P90)):
        (template,) = around(fraction)
        folder = options.folder / name
        times, missing = _measure(template, edits, baselines.IN_PROCESS, folder / "libraries")
        of_git, gaps = _measure(template, git_edits, (CASSTORE, GIT), folder / "git")
        missing += gaps
        figures += _figures(name, times)
        title = f"Save, {name} template ({template.size:,} B, {{:,}} rounds)"
        tables.append(contest(title.format(len(times[CASSTORE])), times, CASSTORE))
        if GIT in of_git:
            tables.append(contest(title.format(len(of_git[GIT])), of_git, CASSTORE))
    return Answer(figures, tables, missing)


def _measure(
    template: Template, edits: int, names: tuple[str, ...], folder: Path
) -> tuple[Times, list[str]]:
    with ExitStack() as stack:
        opened, missing = baselines.open_all(names, folder, stack)
        calls = {name: _saving(store) for name, store in opened.items()}
        saves = interleaved([template] * SESSIONS, edits)
        return alternate(calls, saves, warmup=SESSIONS), missing


def _saving(store: Contestant) -> Callable[[Save], object]:
    return lambda save: store.save(save.session_id, save.document)


def _figures(name: str, times: Times) -> list[Figure]:
    reaches = [(TABLE, 0.5, 0.9), (LANGGRAPH, 0.5, 1.2), (TABLE, 0.99, 1.0)]
    return [
        Figure(
            f"save, {name}, p{fraction * 100:.0f}, casstore / {other}",
            ratio(times, CASSTORE, other, fraction),
            "x",
            reach,
        )
        for other, fraction, reach in reaches
        if other in times
    ]
