"""What does the worst document cost: random base64 of 2 MB, which no delta and no model shortens?

Reach: on disk at most 1.02 of the raw text; a second version with one edit at most 2 KB; memory at
most 8 times the document. An edit is either a widget value in front of the base64 text or four
characters put into its middle, which shifts a megabyte. Memory is the growth of the resident peak
of a process of its own for each call (``heavy.py``), as the system counts it: much of it belongs to
zstd and SQLite, which ``tracemalloc`` does not see. What the growth on disk of one small save
cannot show, whole pages being added, is averaged over twenty.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import benchmarks
from benchmarks.heavy import MIDDLE, WIDGET
from benchmarks.report import Answer, Figure, Table
from benchmarks.workload import Options

SIZE = 2_000_000


def run(options: Options) -> Answer:
    size = 200_000 if options.quick else SIZE
    calls = {"first version": _heavy("save", options.folder, size)}
    figures = [
        Figure(
            "first version, bytes on disk / raw",
            calls["first version"]["disk"] / calls["first version"]["document"],
            "x",
            1.02,
        )
    ]
    for kind in (WIDGET, MIDDLE):
        edit = calls[f"one edit, {kind}"] = _heavy("edit", options.folder, size, kind)
        figures.append(Figure(f"second version, {kind} edited", edit["blobs"], "B", 2048))
        calls[f"restore of it, {kind}"] = _heavy("restore", options.folder, size, kind)
        disk = _heavy("grow", options.folder, size, kind)["disk"]
        figures.append(Figure(f"further versions, {kind} edited, on disk each", disk, "B", 2048))
    missing = []
    tables = []
    if any(call["peak"] is None for call in calls.values()):
        missing.append("memory: this platform does not count the resident peak")
    else:
        rows = [(name, call["peak"] / call["document"]) for name, call in calls.items()]
        worst = max(times for _, times in rows)
        figures.append(Figure("memory, growth of the peak / document", worst, "x", 8.0))
        title = f"Memory over the process that holds the document (of {size:,} B)"
        tables.append(Table(title, ("call", "times the document"), rows))
    return Answer(figures, tables, missing)


def _heavy(action: str, folder: Path, size: int, kind: str = "") -> Any:
    package = Path(benchmarks.__file__).parent
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.heavy", action, str(folder), str(size), kind],
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(run.stdout)
