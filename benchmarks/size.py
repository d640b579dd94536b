"""How many bytes on disk does a version cost?

Reach: at most 400 B for templates around the median and 420 B around p90, ten sessions of 200 edits
in one store; at most half of git after ``gc --aggressive``. Counted for casstore is the whole file;
the rollback journal that stays beside it, as large as the largest save needed, is shown apart. git
is counted twice: its objects alone (packs and their indexes), which is what it needs to give the
versions back, and the whole repository with its index and reference logs. Every session has a
template of its own, so none profits from another's first version.
"""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import baselines
from benchmarks.baselines import CASSTORE, GIT, TABLE
from benchmarks.baselines.casstore_store import FILE_NAME
from benchmarks.baselines.git import Git
from benchmarks.report import Answer, Cell, Figure, Table
from benchmarks.templates import MEDIAN, P90, Template, around, compact
from benchmarks.workload import Options, fingerprint, interleaved, tree_bytes

SESSIONS = 10
CHECKED = 100
WITH_JOURNAL = "casstore with its journal"
GIT_OBJECTS, GIT_WHOLE = "git objects", "git repository"


def run(options: Options) -> Answer:
    figures: list[Figure] = []
    tables: list[Table] = []
    missing: list[str] = []
    sessions, edits = (3, 20) if options.quick else (SESSIONS, 200)
    for name, fraction, reach in (("median", MEDIAN, 400), ("p90", P90, 420)):
        templates = around(fraction, sessions)
        sizes, text, missing = _measure(templates, edits, options.folder / name)
        versions = sessions * (edits + 1)
        ours, whole = sizes[CASSTORE] / versions, sizes[WITH_JOURNAL] / versions
        figures.append(Figure(f"bytes per version, {name}", ours, "B", reach))
        figures.append(Figure(f"the same with the journal beside it, {name}", whole, "B"))
        figures += [
            Figure(f"size, {name}, casstore / {other}", sizes[CASSTORE] / sizes[other], "x", 0.5)
            for other in (GIT_OBJECTS, GIT_WHOLE)
            if other in sizes
        ]
        rows: list[list[Cell]] = [
            [store, size / versions, size, text / size] for store, size in sizes.items()
        ]
        tables.append(
            Table(
                f"Size, {name}: {sessions} sessions of {edits} edits, templates of "
                f"{templates[0].size:,} to {templates[-1].size:,} B, {versions:,} versions",
                ("store", "B per version", "bytes", "times smaller than compact text"),
                rows,
            )
        )
    return Answer(figures, tables, missing)


def _measure(
    templates: tuple[Template, ...], edits: int, folder: Path
) -> tuple[dict[str, int], int, list[str]]:
    """Bytes per store, bytes of all compact texts, and what could not be measured."""
    text = 0
    prints: list[bytes] = []
    keys: dict[str, list[Any]] = {}
    with ExitStack() as stack:
        opened, missing = baselines.open_all((CASSTORE, TABLE, GIT), folder, stack)
        for save in interleaved(templates, edits):
            text += len(compact(save.document))
            prints.append(save.fingerprint())
            for name, store in opened.items():
                keys.setdefault(name, []).append(store.save(save.session_id, save.document))
        for name, store in opened.items():
            if isinstance(store, Git):
                store.collect()
            for at in random.Random(0).sample(range(len(prints)), min(CHECKED, len(prints))):
                assert fingerprint(store.restore(keys[name][at])) == prints[at], (name, at)
    own = folder / baselines.folder_name(CASSTORE)
    sizes = {
        CASSTORE: (own / FILE_NAME).stat().st_size,
        WITH_JOURNAL: tree_bytes(own),
        TABLE: tree_bytes(folder / baselines.folder_name(TABLE)),
    }
    git = opened.get(GIT)
    if isinstance(git, Git):
        sizes[GIT_OBJECTS] = tree_bytes(git.repository / "objects")
        sizes[GIT_WHOLE] = tree_bytes(git.repository)
    return sizes, text, missing
