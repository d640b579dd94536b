"""What does the PreToolUse hook cost an agent, whole process, and is every capture kept?

Reach, in times of a bare ``python -I -S -c pass``: a harmless call 1.10; a captured file up to
100 KB 1.30, and half of the same hook on the plain table; ten files 1.6; all the same while another
process holds the store's write lock. From capture to settled at most ten starts (p50). Eight
processes with 200 captures each lose none, and a session's versions keep their order. Measured from
outside, in turn, in a store without versions and in one with many.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import benchmarks
import casstore
from benchmarks.baselines.casstore_store import journal_mode
from benchmarks.report import Answer, Cell, Figure, Table
from benchmarks.templates import MEDIAN, P90, Template, around
from benchmarks.timing import Times, alternate, median, paired_ratio, percentile
from benchmarks.workload import Options

BARE, OURS, PLAIN, INLINE = "python -I -S -c pass", "casstore", "plain table", "save in the hook"
_HERE = Path(benchmarks.__file__).parent
_HOOK = _HERE.parent / "scripts" / "checkpoint_pre.py"
WARMUP = 2
LARGEST = 0.9999
_LIMIT = 60.0


def run(options: Options) -> Answer:
    rounds = WARMUP + (3 if options.quick else 40)
    figures: list[Figure] = []
    tables: list[Table] = []
    for name, fraction in (("median", MEDIAN), ("p90", P90), ("largest", LARGEST)):
        (template,) = around(fraction)
        bench = _Bench(options.folder / name, template)
        small = template.size <= 100_000
        times = bench.alternate(bench.edit(), rounds, (BARE, OURS, PLAIN, INLINE))
        figures += _captured(f"captured, {name}", times, small)
        tables.append(_table(f"captured, {name} template ({template.size:,} B compact)", times))
        if name == "p90":
            figures += _more(bench, rounds, tables)
    large = _Bench(options.folder / "large", around(P90)[0])
    large.fill(300 if options.quick else 100_000)
    times = large.alternate(large.edit(), rounds, (BARE, OURS))
    figures += _captured("captured, p90, large store", times, True)
    figures += _settling(large, rounds)
    figures += _together(options)
    return Answer(figures, tables)


def _more(bench: _Bench, rounds: int, tables: list[Table]) -> Iterator[Figure]:
    times = bench.alternate(bench.harmless(), rounds, (BARE, OURS))
    tables.append(_table("harmless call", times))
    yield Figure("harmless call / bare", paired_ratio(times[OURS], times[BARE]), "x", 1.10)
    ten = bench.compile_of_ten()
    times = bench.alternate(ten, rounds, (BARE, OURS))
    tables.append(_table("captured, ten files of the p90 template", times))
    yield Figure("ten files / bare", paired_ratio(times[OURS], times[BARE]), "x", 1.6)
    with bench.locked():
        times = bench.alternate(bench.edit(), rounds, (BARE, OURS), settled=False)
    tables.append(_table("captured, p90, while the store is locked", times))
    yield Figure("captured, locked / bare", paired_ratio(times[OURS], times[BARE]), "x", 1.30)


def _captured(what: str, times: Times, small: bool) -> Iterator[Figure]:
    reach = 1.30 if small else None
    yield Figure(f"{what} / bare", paired_ratio(times[OURS], times[BARE]), "x", reach)
    if PLAIN in times:
        ratio = paired_ratio(times[OURS], times[PLAIN])
        yield Figure(f"{what} / plain table", ratio, "x", 0.5 if small else None)
        yield Figure(f"{what} / save in the hook", paired_ratio(times[OURS], times[INLINE]), "x")


def _settling(bench: _Bench, rounds: int) -> Iterator[Figure]:
    """From the end of the hook to the version in the store, in bare starts of the same run."""
    bare: list[float] = []
    waits: list[float] = []
    for _ in range(rounds):
        begin = time.perf_counter()
        bench.start(BARE, bench.edit())
        bare.append(time.perf_counter() - begin)
        bench.touch()
        begin = time.perf_counter()
        bench.start(OURS, bench.edit())
        bench.wait_until_settled()
        waits.append(time.perf_counter() - begin)
    yield Figure("from capture to settled, p50 / bare", median(waits) / median(bare), "x", 10)


def _together(options: Options) -> Iterator[Figure]:
    """Eight agents at once, each in a session of its own."""
    agents, captures = 8, 10 if options.quick else 200
    bench = _Bench(options.folder / "together", around(MEDIAN)[0])

    def work(agent: int) -> None:
        path = bench.project / "projects" / f"p{agent}" / "inputs" / "wf.json"
        path.parent.mkdir(parents=True)
        for number in range(captures):
            path.write_text(json.dumps({"agent": agent, "number": number}), encoding="utf-8")
            event = bench.event("Write", file_path=str(path), content="{}")
            event["session_id"] = f"agent-{agent}"
            bench.start(OURS, event)

    with ThreadPoolExecutor(agents) as pool:
        list(pool.map(work, range(agents)))
    bench.wait_until_settled()
    lost = disordered = 0
    with casstore.open_store(bench.store) as store:
        for agent in range(agents):
            found = [
                store.restore(version_id=info.version_id).workflow_data["number"]
                for info in store.versions(f"agent-{agent}")
            ]
            lost += captures - len(set(found))
            disordered += found != sorted(found)
    yield Figure(f"{agents} processes, {captures} captures each: lost", lost, "", 0)
    yield Figure("the same: sessions out of order", disordered, "", 0)


def _table(title: str, times: Times) -> Table:
    rows: list[list[Cell]] = [
        [
            name,
            median(seconds) * 1e3,
            percentile(seconds, 0.9) * 1e3,
            paired_ratio(seconds, times[BARE]),
        ]
        for name, seconds in times.items()
    ]
    return Table(title, ("process", "p50 ms", "p90 ms", "x bare"), rows)


class _Bench:
    """A project with a workflow in it, its stores, and the hooks that can be started there."""

    def __init__(self, folder: Path, template: Template) -> None:
        self.project = folder / "project"
        self.file = self.project / "projects" / "demo" / "inputs" / "wf.json"
        self.file.parent.mkdir(parents=True)
        (self.project / ".git").mkdir()
        self.document = template.load()
        self.store = folder / "store" / "checkpoint.sqlite"
        self._count = 0
        self._environment = {
            **os.environ,
            "CLAUDE_PROJECT_DIR": str(self.project),
            "PLAIN_JOURNAL_MODE": journal_mode(folder),
            "PYTHONPATH": str(_HERE.parent),
        }
        # Without bytecode files every process would compile casstore anew.
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)
        isolated = [sys.executable, "-I", "-S"]
        self._commands: dict[str, tuple[Sequence[str], Path]] = {
            BARE: ([*isolated, "-c", "pass"], self.store),
            OURS: ([*isolated, str(_HOOK)], self.store),
            PLAIN: (
                [sys.executable, str(_HERE / "plain" / "hook.py")],
                folder / "plain.sqlite",
            ),
            INLINE: (
                [sys.executable, str(_HERE / "plain" / "store_hook.py")],
                folder / "inline.sqlite",
            ),
        }
        self.touch()
        casstore.open_store(self.store).close()

    def touch(self) -> None:
        """An edit, as an agent's own, so that no capture is a mere reference."""
        self._count += 1
        self.document["nodes"][0]["pos"] = [self._count, self._count / 3]
        self.file.write_text(json.dumps(self.document, indent=2), encoding="utf-8")

    def event(self, tool: str, **tool_input: Any) -> dict[str, Any]:
        self._count += 1
        return {
            "session_id": "bench",
            "transcript_path": "/dev/null",
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": tool_input,
            "tool_use_id": f"toolu_{self._count}_{time.monotonic_ns()}",
        }

    def edit(self) -> dict[str, Any]:
        return self.event("Edit", file_path=str(self.file), old_string="1", new_string="2")

    def harmless(self) -> dict[str, Any]:
        return self.event("Bash", command="git status && ls -la src", description="Looks around")

    def compile_of_ten(self) -> dict[str, Any]:
        for number in range(9):
            other = self.file.with_name(f"other-{number}.json")
            other.write_text(json.dumps({"n": number, **self.document}, indent=2), encoding="utf-8")
        return self.event("Bash", command="python compile.py projects/demo/inputs/wf.json")

    def start(self, name: str, event: dict[str, Any]) -> None:
        """One whole process, as the host starts it: the event on stdin, all output read."""
        command, store = self._commands[name]
        environment = {**self._environment, "COMFYUI_AGENT_CHECKPOINT_DB": str(store)}
        done = subprocess.run(
            command,
            input=json.dumps(event).encode(),
            capture_output=True,
            env=environment,
            cwd=self.project,
            check=True,
        )
        assert done.stdout == b"", done.stdout

    def alternate(
        self,
        event: dict[str, Any],
        rounds: int,
        names: Sequence[str],
        *,
        settled: bool = True,
    ) -> Times:
        """Seconds of each process; every round has a fresh tool call on an edited file."""

        def inputs() -> Iterator[dict[str, Any]]:
            for number in range(rounds):
                self.touch()
                yield {**event, "tool_use_id": f"toolu_{number}_{time.monotonic_ns()}"}

        calls: dict[str, Callable[[Any], object]] = {
            name: partial(self.start, name) for name in names
        }
        between = self.wait_until_settled if settled else None
        return alternate(calls, inputs(), warmup=WARMUP, between=between)

    def wait_until_settled(self) -> None:
        """Until nothing waits in the inbox; the detached process ends a moment later."""
        from casstore.inbox import pending

        end = time.monotonic() + _LIMIT
        while pending(str(self.store)):
            assert time.monotonic() < end, "a capture was never settled"
            time.sleep(0.001)

    @contextmanager
    def locked(self) -> Iterator[None]:
        with closing(sqlite3.connect(self.store, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            yield
            holder.execute("ROLLBACK")

    def fill(self, versions: int) -> None:
        """Many small versions of many sessions."""
        from casstore.backends.sqlite.backend import SqliteBackend
        from casstore.store import Store

        backend = SqliteBackend(str(self.store))
        with Store(backend) as store, backend.transaction():
            for number in range(versions):
                store.save(f"session-{number % 500}", {"n": number, "text": "a small workflow"})
