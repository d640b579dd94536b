"""What does a whole process of ``save.py`` or ``restore.py`` cost, beside a plain one?

Reach: at most 1.2 of the same scripts written on the plain table (``plain/``). Whole processes from
outside, on the median and the p90 template, in turn with the plain script and with a bare
``python -c pass`` on the same standard input. A round is not begun before the detached process of
the last save has finished, so that no contestant is measured beside it. The ratios are the medians
of the round-by-round ratios.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import benchmarks
from benchmarks.baselines.casstore_store import FILE_NAME, journal_mode
from benchmarks.report import Answer, Cell, Figure, Table
from benchmarks.templates import MEDIAN, P90, Template, around
from benchmarks.timing import Times, alternate, median, paired_ratio, percentile
from benchmarks.workload import Options, interleaved

BARE, OURS, PLAIN = "python -c pass", "casstore", "plain table"
LOOSE = "SELECT count(*) FROM blobs WHERE encoding = 0"
_HERE = Path(benchmarks.__file__).parent
_SCRIPTS = {OURS: _HERE.parent / "scripts", PLAIN: _HERE / "plain"}
WARMUP = 2
_SETTLE_LIMIT = 20.0
# The detached process ends a moment after its last commit; the wait is several such moments.
_LAST_MOMENT = 0.03


def run(options: Options) -> Answer:
    if not (_SCRIPTS[OURS] / "save.py").exists():
        return Answer([], missing=["cold start: there is no scripts/ beside benchmarks/"])
    rounds = WARMUP + (3 if options.quick else 60)
    figures: list[Figure] = []
    tables: list[Table] = []
    for name, fraction in (("median", MEDIAN), ("p90", P90)):
        (template,) = around(fraction)
        folder = options.folder / name
        folder.mkdir()
        bench = _Bench(folder)
        measured = {"save.py": bench.saves(template, rounds), "restore.py": bench.restores(rounds)}
        for script, times in measured.items():
            ratio = paired_ratio(times[OURS], times[PLAIN])
            figures.append(Figure(f"{script}, {name}, casstore / plain", ratio, "x", 1.2))
            bare = paired_ratio(times[OURS], times[BARE])
            figures.append(Figure(f"{script}, {name}, casstore / bare", bare, "x"))
            title = f"{script}, {name} template ({template.size:,} B), {len(times[OURS])} rounds"
            tables.append(_table(title, times))
    return Answer(figures, tables)


def _table(title: str, times: Times) -> Table:
    rows: list[list[Cell]] = [
        [
            name,
            median(seconds) * 1e3,
            percentile(seconds, 0.9) * 1e3,
            paired_ratio(seconds, times[BARE]),
            paired_ratio(seconds, times[PLAIN]),
        ]
        for name, seconds in times.items()
    ]
    return Table(title, ("process", "p50 ms", "p90 ms", "x bare", "x plain table"), rows)


class _Bench:
    """Both stores of one template, and the three processes on them."""

    def __init__(self, folder: Path) -> None:
        self._stores = {OURS: folder / FILE_NAME, PLAIN: folder / "table.sqlite"}
        self._request = folder / "request.json"
        self._environment = {**os.environ, "PLAIN_JOURNAL_MODE": journal_mode(folder)}
        # Without bytecode files every process would compile casstore anew: 41 ms instead of 28.
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def saves(self, template: Template, rounds: int) -> Times:
        """Seconds of ``save.py``: a round saves the next version of one session."""
        return self._alternate("save.py", self._requests(template, rounds))

    def restores(self, rounds: int) -> Times:
        """Seconds of ``restore.py``: a round restores one version by id."""
        ids = random.Random(1).choices(range(1, rounds + 1), k=rounds)
        for version_id in ids[:5]:
            asked = ["--version-id", str(version_id)]
            ours, plain = (
                json.loads(self._process(name, "restore.py", asked)) for name in (OURS, PLAIN)
            )
            assert ours["workflow_data"] == plain["workflow_data"], version_id
        return self._alternate("restore.py", (["--version-id", str(i)] for i in ids))

    def _requests(self, template: Template, rounds: int) -> Iterator[list[str]]:
        for session_id, document in interleaved([template], rounds - 1):
            request = {"session_id": session_id, "workflow_data": document}
            self._request.write_text(json.dumps(request), encoding="utf-8")
            yield []

    def _alternate(self, script: str, inputs: Iterable[list[str]]) -> Times:
        calls = {name: partial(self._process, name, script) for name in (OURS, PLAIN, BARE)}
        return alternate(calls, inputs, warmup=WARMUP, between=self._settle)

    def _process(self, name: str, script: str, arguments: list[str]) -> bytes:
        command = [sys.executable]
        if name == BARE:
            command += ["-c", "pass"]
        else:
            self._environment["COMFYUI_AGENT_CHECKPOINT_DB"] = str(self._stores[name])
            command += [str(_SCRIPTS[name] / script), *arguments]
        with self._request.open("rb") as stdin:
            return subprocess.run(
                command, stdin=stdin, stdout=subprocess.PIPE, env=self._environment, check=True
            ).stdout

    def _settle(self) -> None:
        """Waits until nothing is loose in our store and its detached process has ended."""
        end = time.monotonic() + _SETTLE_LIMIT
        with closing(sqlite3.connect(self._stores[OURS], timeout=_SETTLE_LIMIT)) as connection:
            while connection.execute(LOOSE).fetchone()[0]:
                assert time.monotonic() < end, "a saved version was never packed"
                time.sleep(0.002)
        time.sleep(_LAST_MOMENT)
