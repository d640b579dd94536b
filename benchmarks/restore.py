"""How long does it take to get any version back, in-process?

Reach: p50 at most 1 ms for the p90 template, and no version more than 64 deltas from a whole one.
Ten sessions of 200 edits; every store is opened anew and each version asked for at most once, in
random order, so that what casstore keeps in memory of versions it has given out helps none of
them. The same call on the other stores is given beside it, to read a millisecond by.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import baselines
from benchmarks.baselines import CASSTORE, TABLE, Contestant
from benchmarks.baselines.casstore_store import FILE_NAME
from benchmarks.report import Answer, Figure, contest, ratio
from benchmarks.templates import P90, Template, around
from benchmarks.timing import alternate, percentile
from benchmarks.workload import Options, fingerprint, interleaved

MAX_DEPTH = "SELECT max(depth) FROM blobs"


class _Filled(NamedTuple):
    """What was saved: per store the keys of the versions, and each version's fingerprint."""

    keys: dict[str, list[Any]]
    prints: list[bytes]


def run(options: Options) -> Answer:
    sessions, edits, rounds = (3, 20, 40) if options.quick else (10, 200, 1000)
    (template,) = around(P90)
    filled = _fill([template] * sessions, edits, options.folder)
    order = list(range(len(filled.prints)))
    random.Random(1).shuffle(order)
    with ExitStack() as stack:
        opened, missing = baselines.open_all(baselines.IN_PROCESS, options.folder, stack)
        calls = {name: _restoring(store, filled.keys[name]) for name, store in opened.items()}
        times = alternate(calls, order[:rounds])
        for name, call in calls.items():
            for at in order[:50]:
                assert fingerprint(call(at)) == filled.prints[at], (name, at)
    figures = [
        Figure("restore p50, p90 template", percentile(times[CASSTORE], 0.5) * 1e3, "ms", 1.0),
        Figure("restore p99, p90 template", percentile(times[CASSTORE], 0.99) * 1e3, "ms"),
        Figure("restore p50, casstore / plain table", ratio(times, CASSTORE, TABLE, 0.5), "x"),
        Figure("longest chain of deltas", _longest_chain(options.folder), "", 64),
    ]
    title = (
        f"Restore, p90 template ({template.size:,} B), any of {len(order):,} versions, "
        f"{len(times[CASSTORE]):,} rounds"
    )
    return Answer(figures, [contest(title, times, CASSTORE)], missing)


def _restoring(store: Contestant, keys: list[Any]) -> Callable[[int], object]:
    return lambda at: store.restore(keys[at])


def _fill(templates: list[Template], edits: int, folder: Path) -> _Filled:
    filled = _Filled({}, [])
    with ExitStack() as stack:
        opened, _ = baselines.open_all(baselines.IN_PROCESS, folder, stack)
        for save in interleaved(templates, edits):
            filled.prints.append(save.fingerprint())
            for name, store in opened.items():
                key = store.save(save.session_id, save.document)
                filled.keys.setdefault(name, []).append(key)
    return filled


def _longest_chain(folder: Path) -> int:
    file = folder / baselines.folder_name(CASSTORE) / FILE_NAME
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute(MAX_DEPTH).fetchone()[0])
