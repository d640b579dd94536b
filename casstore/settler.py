"""The detached process that settles and packs, and ends when nothing waits.

It prints nothing and nobody waits for it. A lasting problem is noted in the inbox, where the next
hook finds it and tells the user; a busy store is waited for.
"""

from __future__ import annotations

import os
import stat
import time

from casstore import detach
from casstore import inbox as boxes
from casstore.errors import CasstoreError, StoreBusy
from casstore.settle import settle, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PARTIAL_SECONDS = 3600.0
"""Age at which a half-written file is taken for that of a dead process."""

SESSION_SECONDS = 30 * 24 * 3600.0
"""Age at which what the hook remembers of a session is removed."""

BUSY_WAITS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds between tries while another process keeps the store locked; each try adds the store's
own timeout. After the last one the captures are left to the next hook or reader."""


def main(arguments: Sequence[str]) -> None:
    """``STORE LOCK``: the store's path, and the lock as `casstore.detach.take_lock` gave it."""
    store_path, lock = arguments[0], int(arguments[1])
    _step_back(store_path)
    inbox = boxes.inbox_of(store_path)
    held: int | None = lock
    while held is not None:
        try:
            problem = _patiently(store_path, held)
        finally:
            detach.give_back(inbox, held)
        # a capture that came after the last look found the lock held and started nobody
        if problem is not None or not boxes.pending(store_path):
            return
        held = detach.take_lock(inbox)


def clean(inbox: str, now: float | None = None) -> None:
    """Removes what dead processes left half-written and memories of sessions long past."""
    now = time.time() if now is None else now
    for folder, ending, seconds in (
        (inbox, boxes.TEMPORARY, PARTIAL_SECONDS),
        (f"{inbox}/{boxes.BROKEN}", boxes.TEMPORARY, PARTIAL_SECONDS),
        (f"{inbox}/{boxes.SESSIONS}", "", SESSION_SECONDS),
    ):
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    old = now - status.st_mtime > seconds
                    if old and entry.name.endswith(ending) and stat.S_ISREG(status.st_mode):
                        os.unlink(entry.path)
        except OSError:
            continue


def _patiently(store_path: str, lock: int) -> CasstoreError | None:
    """One run, repeated while the store is busy; what was in the way at the end."""
    inbox = boxes.inbox_of(store_path)
    for wait in (*BUSY_WAITS, None):
        problem = _once(store_path)
        if wait is None or not isinstance(problem, StoreBusy):
            break
        time.sleep(wait)
        detach.renew(inbox, lock)
    clean(inbox)
    _note_problem(inbox, problem)
    return problem


def _once(store_path: str) -> CasstoreError | None:
    """Opens the store, which is made where it is missing, settles and packs."""
    try:
        from casstore.opening import open_store

        with open_store(store_path) as store:
            result = settle(store)
            if result.problem is None:
                store.pack()
            return result.problem
    except CasstoreError as error:
        return error
    except Exception as error:
        return CasstoreError(f"unexpected {type(error).__name__}: {error}")


def _note_problem(inbox: str, problem: CasstoreError | None) -> None:
    path = f"{inbox}/{boxes.PROBLEM}"
    try:
        if problem is None:
            os.unlink(path)
        elif not isinstance(problem, StoreBusy):
            write_whole(path, problem.message[:400] + "\n")
    except OSError:
        return


def _step_back(store_path: str) -> None:
    """Leaves the caller's working folder, and the processor to those who wait for an answer."""
    try:
        os.chdir(os.path.dirname(store_path))
        os.nice(5)
    except (OSError, AttributeError):
        return
