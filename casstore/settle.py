"""Moves captures from the inbox into the store: each once, in the order of their times.

`settle` may be killed at any point and run by many processes at once: every file of a capture
becomes a version under a key that the store accepts once, and the capture is removed after the
last of them is committed. A capture that cannot be settled is set aside with the reason; a store
that is busy, full or not there leaves everything where it is.
"""

from __future__ import annotations

import json
import os
import time

from casstore import inbox as boxes
from casstore.captured import Facts
from casstore.errors import CasstoreError, Damaged, InvalidDocument, InvalidSession, StorageFailed
from casstore.inbox import BrokenCapture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple

    from casstore.inbox import Capture
    from casstore.store import Store
else:
    from casstore._namedtuple import NamedTuple

RECENT = "recent"
"""File in the inbox with a JSON line of figures for each of the last captures settled."""

_RECENT_KEPT = 20
_TURN = 8


class Settled(NamedTuple):
    """What a run did. ``problem`` is what kept ``waiting`` captures from being settled."""

    captures: int
    versions: int
    """Versions that the settled captures have in the store, those of a second delivery too."""
    broken: int
    waiting: int
    problem: CasstoreError | None


def settle(store: Store) -> Settled:
    """Settles the captures that wait for this store. Raises nothing of casstore's: a store that
    cannot take them now is the result's ``problem``. Waits for a lock once at most, as long as
    the store's timeout."""
    inbox = boxes.inbox_of(store.location)
    done = _Done()
    problem: CasstoreError | None = None
    try:
        for name in _waiting(store.location):
            try:
                _settle_one(store, inbox, name, done)
            except Damaged as error:  # what is stored already; captures of other files go on
                problem = error
        _note(inbox, done.figures)
    except CasstoreError as error:
        problem = error
    except OSError as error:
        problem = StorageFailed(
            f"the inbox at {inbox} cannot be used: {error.strerror or error}", path=inbox
        )
    except MemoryError:
        problem = StorageFailed(f"there is not enough memory to settle {inbox}", path=inbox)
    left = 0 if problem is None else _count(store.location)
    return Settled(done.captures, done.versions, done.broken, left, problem)


def set_aside(inbox: str, name: str, reason: str) -> bool:
    """Moves a capture to the inbox's ``broken`` folder with a ``.reason`` file beside it. False
    where another process did."""
    folder = f"{inbox}/{boxes.BROKEN}"
    boxes.make_folder(folder)
    write_whole(f"{folder}/{name}.reason", reason + "\n")
    try:
        os.rename(f"{inbox}/{name}", f"{folder}/{name}")
    except FileNotFoundError:
        return False
    boxes.sync_folder(folder)
    boxes.sync_folder(inbox)
    return True


def write_whole(path: str, text: str) -> None:
    """Writes a small file so that a reader sees the old or the new one."""
    partial = f"{path}.{os.getpid()}{boxes.TEMPORARY}"
    with open(partial, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    os.replace(partial, path)


class _Done:
    def __init__(self) -> None:
        self.captures = self.versions = self.broken = 0
        self.figures: list[str] = []


def _waiting(path: str) -> Iterator[str]:
    """The captures that wait now, by time. The folder is looked at again after a few: one that
    was written meanwhile keeps its place in the order. What comes after the last is not waited
    for, so that a busy inbox ends too."""
    first = set(boxes.waiting(path))
    seen: set[str] = set()
    while first - seen:
        last = max(first)
        names = [name for name in boxes.waiting(path) if name not in seen and name <= last]
        if not names:
            return
        for name in names[:_TURN]:
            seen.add(name)
            yield name


def _settle_one(store: Store, inbox: str, name: str, done: _Done) -> None:
    path = f"{inbox}/{name}"
    try:
        capture = boxes.read(path)
        done.versions += _save(store, capture)
    except FileNotFoundError:  # another process has just settled it
        return
    except BrokenCapture as error:
        done.broken += set_aside(inbox, name, str(error))
        return
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    done.captures += 1
    done.figures.append(_figures(capture))


def _save(store: Store, capture: Capture) -> int:
    """Saves every file and returns how many. Raises `BrokenCapture` after the others are saved
    where one cannot be."""
    facts = Facts(capture)
    saved = 0
    wrong = ""
    for entry, body in zip(capture.header["files"], capture.bodies, strict=True):
        try:
            path, attributes = facts.of_file(entry, body is None)
            store.save_file(
                facts.session,
                body,
                path=path,
                attributes=attributes,
                created_at=facts.created_at,
                capture=facts.key(path, body),
            )
            saved += 1
        except (InvalidDocument, InvalidSession, BrokenCapture) as error:
            wrong = wrong or f"{entry.get('path')!r}: {error}"
        except (CasstoreError, OSError, MemoryError):
            raise
        except Exception as error:  # a file that breaks a reader must not block the others
            wrong = wrong or f"{entry.get('path')!r}: {type(error).__name__}: {error}"
    if wrong:
        raise BrokenCapture(wrong)
    return saved


def _count(path: str) -> int:
    try:
        return len(boxes.waiting(path))
    except OSError:
        return 0


def _figures(capture: Capture) -> str:
    header = capture.header
    figures: dict[str, object] = {
        key: header[key] for key in ("time_ns", "wall_us", "cpu_us") if type(header.get(key)) is int
    }
    figures["settled_ns"] = time.time_ns()
    figures["files"] = len(capture.bodies)
    figures["bytes"] = sum(len(body) for body in capture.bodies if body is not None)
    return json.dumps(figures)


def _note(inbox: str, figures: list[str]) -> None:
    """Keeps what the last captures cost, for ``casstore hook status``. Two processes at once may
    lose some: they are only figures."""
    if not figures:
        return
    path = f"{inbox}/{RECENT}"
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(64 * 1024).splitlines()
    except OSError:
        lines = []
    try:
        write_whole(path, "\n".join([*lines, *figures][-_RECENT_KEPT:]) + "\n")
    except OSError:
        return
