"""Transactions: all or nothing, nested ones join, one writer at a time, readers see whole ones."""

from __future__ import annotations

import threading

from casstore.conformance.checks import needs
from casstore.conformance.expect import BrokenPromise, raises, same
from casstore.conformance.samples import add, add_blob, blob, loose, row
from casstore.conformance.subject import REOPEN
from casstore.errors import StorageFailed, StoreBusy
from casstore.records import WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from threading import Event

    from casstore.backends.base import Backend
    from casstore.conformance.subject import Subject

THREADS = 4
ROUNDS = 15
ATTEMPTS = 200


class _Stop(Exception):
    """What a block under test ends with."""


def _everything(backend: Backend) -> object:
    """All that a reader can see of a small store."""
    rows = list(backend.versions())
    return (
        rows,
        list(backend.sessions()),
        [list(backend.chain(i)) for i in range(1, 8) if i <= backend.counts().blobs],
        [backend.newest_in_line(key) for key in (b"k" * 16, b"l" * 16)],
        backend.last_version_id(),
        backend.counts()[:-1],
    )


def _some(backend: Backend) -> tuple[int, int]:
    with backend.transaction():
        kept = backend.add_blob(loose("kept"))
        backend.set_line(b"k" * 16, kept)
        version = backend.add_version(row("kept", kept, path="p", capture="c"))
    return kept, version


def _change_all(backend: Backend, kept: int, version: int) -> None:
    new = backend.add_blob(blob("new", kept))
    backend.replace_blob(blob("kept")._replace(id=kept, encoding=WHOLE))
    backend.set_line(b"k" * 16, new)
    backend.set_line(b"l" * 16, new)
    backend.update_version(row("other", new, id=version))
    made = backend.add_version(row("more", new))
    backend.delete_version(version)
    backend.set_last_version_id(made + 100)


def check_a_failed_block_leaves_nothing(subject: Subject) -> None:
    """When the block ends with an exception nothing of it happened, and the exception goes on."""
    backend = subject.fresh()
    kept, version = _some(backend)
    before = _everything(backend)

    def block() -> None:
        with backend.transaction():
            _change_all(backend, kept, version)
            raise _Stop

    raises(_Stop, block, "the block")
    same(_everything(backend), before, "the store after the failed block")
    same(backend.find_blob(blob("new").digest), None, "the blob of the failed block")
    with backend.transaction():
        _change_all(backend, kept, version)
    same(_everything(backend) != before, True, "the same block without the exception counts")


def check_a_refused_call_spoils_only_what_it_must(subject: Subject) -> None:
    """After a refused call the rest of a block that goes on is kept."""
    backend = subject.fresh()
    with backend.transaction():
        added = backend.add_blob(blob("a"))
        raises(StorageFailed, lambda: backend.add_blob(blob("a")), "add_blob of a known digest")
        version = backend.add_version(row("s", added))
    same(backend.version(version), row("s", added, id=version), "the version of the block")


def check_nested_blocks_join(subject: Subject) -> None:
    """A nested block belongs to the outer one: it is kept or undone with it."""
    backend = subject.fresh()

    def block() -> None:
        with backend.transaction():
            with backend.transaction():
                backend.add_version(row("inner"))
            with backend.reading():
                found = backend.latest("inner")
                same(found is not None, True, "the inner block's version, read in the outer one")
            raise _Stop

    raises(_Stop, block, "the outer block")
    same(backend.latest("inner"), None, "the inner block of a failed outer one")
    with backend.transaction():
        with backend.transaction():
            backend.add_version(row("inner"))
        backend.add_version(row("outer"))
    same(backend.counts().versions, 2, "the versions of both blocks")


def check_a_block_sees_its_own_changes(subject: Subject) -> None:
    """What a transaction wrote it reads."""
    backend = subject.fresh()
    with backend.transaction():
        added = backend.add_blob(blob("a"))
        same(backend.find_blob(blob("a").digest), added, "find_blob in the block")
        version = backend.add_version(row("s", added))
        found = backend.latest("s")
        same(found and found.id, version, "latest in the block")
        backend.delete_version(version)
        same(backend.version(version), None, "a deleted version in the block")


def check_blocks_can_follow_a_failure(subject: Subject) -> None:
    """After a failed block the backend works on."""
    backend = subject.fresh()
    for _ in range(3):

        def block() -> None:
            with backend.transaction():
                raise _Stop

        raises(_Stop, block, "the block")
        with backend.reading():
            backend.versions()
        add(backend, row("s"))
    same(backend.counts().versions, 3, "the versions of the blocks that followed")


@needs(REOPEN)
def check_one_writer(subject: Subject) -> None:
    """A second writer gets StoreBusy while a transaction is open, and works once it has ended."""
    backend = subject.fresh()
    other = subject.again(backend)
    with backend.transaction():  # nothing written yet: it excludes from its first line
        raises(StoreBusy, lambda: add(other, row("other")), "a second transaction")
        backend.add_version(row("first"))
        raises(StoreBusy, lambda: add(other, row("other")), "a second transaction")
    [made] = add(other, row("other"))
    found = backend.latest("other")
    same(found and found.id, made, "the second writer's version, once it could write")
    same(backend.counts().versions, 2, "the versions of both")


@needs(REOPEN)
def check_a_reader_sees_whole_transactions(subject: Subject) -> None:
    """A reader is not held up by an open transaction and sees nothing of it until it ends."""
    backend = subject.fresh()
    other = subject.again(backend)
    kept, version = _some(backend)
    before = _everything(other)
    with backend.transaction():
        _change_all(backend, kept, version)
        same(_everything(other), before, "the other's view of an open transaction")
    same(_everything(other), _everything(backend), "the other's view after its end")


@needs(REOPEN)
def check_a_reader_is_not_held_up_by_a_large_transaction(subject: Subject) -> None:
    """A reader reads while a transaction of many megabytes is open."""
    backend = subject.fresh()
    other = subject.again(backend)
    [version] = add(backend, row("s"))
    with backend.transaction():
        for number in range(8):
            backend.add_blob(blob(str(number))._replace(data=bytes(1024 * 1024)))
        same(other.version(version), row("s", id=version), "a version read meanwhile")
        same(other.counts().blobs, 0, "the blobs that a reader sees meanwhile")
    same(other.counts().blobs, 8, "the blobs afterwards")


@needs(REOPEN)
def check_a_reading_block_is_one_view(subject: Subject) -> None:
    """All reads of a reading block see the same state."""
    backend = subject.fresh()
    other = subject.again(backend)
    add(backend, row("s"))
    with backend.reading():
        before = backend.counts().versions
        try:
            add(other, row("s"))
            written = 1
        except StoreBusy:  # an engine may make the writer wait for the reader instead
            written = 0
        same(backend.counts().versions, before, "the second read of the block")
    same(backend.counts().versions, before + written, "the versions after the block")


def check_threads_take_turns(subject: Subject) -> None:
    """Threads that share a backend take turns: what one reads in a block stays true in it."""
    backend = subject.fresh()
    given: list[list[int]] = [[] for _ in range(THREADS)]

    def work(number: int) -> None:
        for turn in range(ROUNDS):
            with backend.transaction():
                before = backend.last_version_id()
                added = backend.add_blob(blob(f"{number}/{turn}"))
                made = backend.add_version(row(f"thread {number}", added))
                same(made, before + 1, "the id after the one read in the same block")
            given[number].append(made)
            with backend.reading():
                found = backend.latest(f"thread {number}")
                same(found and found.id, made, "the thread's own latest version")

    _in_threads(work)
    for ids in given:
        same(ids, sorted(ids), "the ids one thread was given")
    every = sorted(each for ids in given for each in ids)
    same(every, list(range(every[0], every[0] + THREADS * ROUNDS)), "all ids together")
    same(backend.counts().blobs, THREADS * ROUNDS, "the blobs of all threads")


def check_blocks_of_threads_do_not_overlap(subject: Subject) -> None:
    """A block of one thread begins when another thread's has ended, those that only read too."""
    backend = subject.fresh()
    for outer in (backend.transaction, backend.reading):
        for inner in (backend.transaction, backend.reading):
            entered = threading.Event()

            def enter(block: Callable[[], AbstractContextManager[None]], done: Event) -> None:
                with block():
                    done.set()

            thread = threading.Thread(target=enter, args=(inner, entered))
            with outer():
                thread.start()
                same(entered.wait(0.05), False, "the other thread is inside a block as well")
            thread.join()
            same(entered.is_set(), True, "the other thread had its turn afterwards")


def check_a_thread_sees_nothing_of_anothers_block(subject: Subject) -> None:
    """What one thread has not finished another does not see."""
    backend = subject.fresh()
    seen: list[object] = []
    reader = threading.Thread(target=lambda: seen.append(backend.latest("s")))

    def block() -> None:
        with backend.transaction():
            backend.add_version(row("s"))
            reader.start()
            reader.join(0.05)  # it may wait for its turn, or read what was there before
            raise _Stop

    raises(_Stop, block, "the block")
    reader.join()
    same(seen, [None], "the other thread's view of a version that was undone")


@needs(REOPEN)
def check_backends_on_one_store_take_turns(subject: Subject) -> None:
    """Writers through several backend objects lose nothing: who was refused may try again."""
    backend = subject.fresh()
    backends = [backend, *(subject.again(backend) for _ in range(THREADS - 1))]

    def work(number: int) -> None:
        for turn in range(ROUNDS):
            for _ in range(ATTEMPTS):
                try:
                    with backends[number].transaction():
                        before = backends[number].last_version_id()
                        made = backends[number].add_version(row(f"{number}", path=str(turn)))
                        same(made, before + 1, "the id after the one read in the same block")
                    break
                except StoreBusy:
                    continue
            else:
                raise BrokenPromise(f"{ATTEMPTS} transactions in a row were refused")

    _in_threads(work)
    same(backend.counts().versions, THREADS * ROUNDS, "the versions of all backends")
    for info in backend.sessions():
        same(info.versions, ROUNDS, f"the versions of backend {info.session_id}")


def _in_threads(work: Callable[[int], None]) -> None:
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise BrokenPromise(f"a thread failed: {type(errors[0]).__name__}: {errors[0]}")


def check_closing_twice(subject: Subject) -> None:
    """Closing twice is allowed."""
    backend = subject.fresh()
    add_blob(backend, blob("a"))
    backend.close()
    backend.close()


def check_says_what_it_is(subject: Subject) -> None:
    """Location, engine and journal mode are text for people, the format a positive number."""
    backend = subject.fresh()
    for what in ("location", "engine", "journal_mode"):
        text = getattr(backend, what)
        same(isinstance(text, str) and bool(text), True, f"{what} is text that says something")
    same(type(backend.format) is int and backend.format > 0, True, "format is a positive number")
