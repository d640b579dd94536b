"""Whatever goes wrong, and wherever: the old file or the new one, whole, and nothing else beside
it than a copy of the old.

The interpreter tells of every call into C. A child process ends itself before each call that
reads, writes, names or syncs a file; an error is raised before each and after each.
"""

from __future__ import annotations

import gc
import os
import sqlite3
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casstore.errors import CasstoreError
from casstore.takeover import take_over
from tests.takeover import plainfiles
from tests.takeover.plainfiles import ROWS, make

WATCHED = frozenset(
    (
        *("execute", "fetchone", "fetchall", "backup", "commit", "connect"),
        *("open", "close", "fsync", "rename", "unlink"),
    )
)


BEFORE, AFTER = "c_call", "c_return"


class Watch:
    """Runs ``strike`` at the event of this number, counted from 0; below that only counts."""

    def __init__(
        self, number: int, strike: Callable[[], None], at: tuple[str, ...] = (BEFORE, AFTER)
    ) -> None:
        self._number = number
        self._strike = strike
        self._at = at
        self.calls: list[tuple[str, str, str]] = []

    def __call__(self, _frame: Any, event: str, function: Any) -> None:
        name = getattr(function, "__name__", "")
        if event in self._at and name in WATCHED:
            self.calls.append((event, name, type(getattr(function, "__self__", None)).__name__))
            if len(self.calls) - 1 == self._number:
                sys.setprofile(None)
                self._strike()

    def run(self, path: Path) -> None:
        before = sys.getprofile()
        sys.setprofile(self)
        try:
            take_over(path)
        finally:
            sys.setprofile(before)


def events(path: Path, at: tuple[str, ...] = (BEFORE, AFTER)) -> int:
    """How many there are to strike at."""
    watch = Watch(-1, lambda: None, at)
    watch.run(path)
    return len(watch.calls)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("plain") / "s.sqlite"
    return make(
        path, ROWS[:3], then=["CREATE INDEX i ON workflow_version (session_id)"]
    ).read_bytes()


def check(path: Path, original: bytes) -> str:
    """The file is whole: old or new, which is returned. A new one has its backup beside it."""
    found = plainfiles.kind(path)
    if found == "plain":
        assert plainfiles.pages(path.read_bytes()) == plainfiles.pages(original)
    else:
        assert plainfiles.store_rows(path) == ROWS[:3]
        assert plainfiles.counter(path) == ROWS[2][0]
        backups = [file for file in plainfiles.beside(path) if file.suffix == ".bak"]
        assert backups
        for backup in backups:
            assert plainfiles.pages(backup.read_bytes()) == plainfiles.pages(original)
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")
def test_killed_at_any_call(tmp_path: Path, original: bytes) -> None:
    def path_for(number: int) -> Path:
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "s.sqlite").write_bytes(original)
        return folder / "s.sqlite"

    seen = []
    total = events(path_for(-1), (BEFORE,))
    assert total > 100
    for number in range(total):
        path = path_for(number)
        child = os.fork()
        if child == 0:
            try:
                Watch(number, lambda: os._exit(77), (BEFORE,)).run(path)
            finally:
                os._exit(78)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 77
        seen.append(check(path, original))
        take_over(path)
        assert check(path, original) == "store"
        left = [p.name for p in path.parent.iterdir() if not p.name.endswith(".bak")]
        assert left == ["s.sqlite"]
    # first only old, then only new: there is one moment at which everything becomes true
    assert seen == sorted(seen)
    assert set(seen) == {"plain", "store"}


FAILURES: dict[str, Callable[[], BaseException]] = {
    "sqlite": lambda: sqlite3.OperationalError("disk I/O error"),
    "system": lambda: OSError(28, "No space left on device"),
    "interrupt": KeyboardInterrupt,
}
EXPECTED: dict[str, type[BaseException]] = {
    "sqlite": CasstoreError,
    "system": CasstoreError,
    "interrupt": KeyboardInterrupt,
}


def may_raise(failure: str, name: str, owner: str) -> bool:
    """Whether this function raises such an error in life. None fails to close."""
    of_sqlite = owner in ("Connection", "Cursor") or name == "connect"
    return failure == "interrupt" or (name != "close" and of_sqlite == (failure == "sqlite"))


@pytest.mark.parametrize("failure", FAILURES)
def test_failing_at_any_call(tmp_path: Path, original: bytes, failure: str) -> None:
    path = tmp_path / "s.sqlite"

    def clean() -> None:
        for file in tmp_path.iterdir():
            file.unlink()
        path.write_bytes(original)

    clean()
    with warnings.catch_warnings():
        # an error raised just after ``connect`` leaves nobody to close the connection
        warnings.simplefilter("ignore", ResourceWarning)
        for number in range(events(path)):
            clean()
            strike_at(number, path, failure)
            if check(path, original) == "plain":
                assert plainfiles.beside(path) == []
            else:
                assert len(plainfiles.beside(path)) == 1
        gc.collect()


def strike_at(number: int, path: Path, failure: str) -> None:
    """Raises the failure at the event of this number. What comes out is casstore's error."""

    def strike() -> None:
        raise FAILURES[failure]()

    watch = Watch(number, strike)
    try:
        watch.run(path)
    except EXPECTED[failure]:
        pass
    except (sqlite3.Error, OSError):
        assert not may_raise(failure, *watch.calls[number][1:]), watch.calls[number]


def test_the_copy_is_safe_on_disk_before_anything_is_lasting(
    tmp_path: Path, original: bytes
) -> None:
    path = tmp_path / "s.sqlite"
    path.write_bytes(original)
    order: list[str] = []

    def traced(frame: Any, event: str, function: Any) -> None:
        name = getattr(function, "__name__", "")
        if event == "c_return" and name in ("backup", "fsync", "rename"):
            order.append(name)
        elif event == "call" and frame.f_code.co_name in ("commit", "shrink"):
            order.append(frame.f_code.co_name)

    sys.setprofile(traced)
    try:
        take_over(path)
    finally:
        sys.setprofile(None)
    expected = ["backup", "fsync", "commit", "rename", "fsync", "shrink"]
    assert [name for name in order if os.name != "nt" or name != "fsync"] == expected
