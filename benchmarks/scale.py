"""Does a store stay as fast when it holds 100,000 versions as when it holds 1,000?

Reach: p50 of save and of restore at most 1.3 of the small store's. Sessions of 200 edits on the
templates around the median; both stores are then measured in turn with the same saves and with
random restores. They are filled in memory-backed storage where the platform offers it and copied
to the disk that is measured: filling is not what is asked.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import casstore
from benchmarks.baselines.casstore_store import FILE_NAME
from benchmarks.report import Answer, Figure, Table, contest, ratio
from benchmarks.templates import MEDIAN, around
from benchmarks.timing import Times, alternate
from benchmarks.workload import Options, Save, interleaved

EDITS = 199
AT_ONCE = 5
_MEMORY = Path("/dev/shm")


def run(options: Options) -> Answer:
    small, large, rounds = (200, 1_000, 60) if options.quick else (1_000, 100_000, 500)
    names = {count: f"{count:,} versions" for count in (small, large)}
    with ExitStack() as stack:
        stores = {}
        for count, name in names.items():
            file = _filled(count, options.folder / str(count))
            stores[name] = stack.enter_context(casstore.open_store(file, create=False))
            assert stores[name].info().versions == count
        pick = random.Random(1)
        wanted = [
            {name: pick.randint(1, count) for count, name in names.items()} for _ in range(rounds)
        ]
        restores = alternate(
            {name: _restoring(store, name) for name, store in stores.items()},
            wanted,
        )
        templates = around(MEDIAN, AT_ONCE)
        saves = alternate(
            {name: _saving(store) for name, store in stores.items()},
            interleaved(templates, rounds // AT_ONCE, seed=9),
            warmup=AT_ONCE,
        )
    figures = [_figure("save", saves, names, small, large)]
    figures.append(_figure("restore", restores, names, small, large))
    tables: list[Table] = [
        contest("Save into a store of", saves, names[large]),
        contest("Restore any version of a store of", restores, names[large]),
    ]
    return Answer(figures, tables)


def _saving(store: casstore.Store) -> Callable[[Save], object]:
    return lambda save: store.save(f"new-{save.session_id}", save.document)


def _restoring(store: casstore.Store, name: str) -> Callable[[dict[str, int]], object]:
    return lambda ids: store.restore(version_id=ids[name])


def _figure(what: str, times: Times, names: dict[int, str], small: int, large: int) -> Figure:
    label = f"{what} p50, {names[large]} / {names[small]}"
    return Figure(label, ratio(times, names[large], names[small], 0.5), "x", 1.3)


def _filled(versions: int, folder: Path) -> Path:
    """A closed store of so many versions in ``folder``."""
    templates = around(MEDIAN, 10 * AT_ONCE)
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as fast:
        with casstore.open_store(Path(fast) / FILE_NAME) as store:
            for group in range(-(-versions // (AT_ONCE * (EDITS + 1)))):
                first = group * AT_ONCE % len(templates)
                for save in interleaved(templates[first : first + AT_ONCE], EDITS, seed=group):
                    store.save(f"{group}-{save.session_id}", save.document)
                    versions -= 1
                    if not versions:
                        break
        shutil.copytree(fast, folder)
    return folder / FILE_NAME
