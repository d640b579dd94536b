"""Durability, as far as opening the store again shows it; and the store in a forked child."""

from __future__ import annotations

import os

from casstore.conformance.checks import needs
from casstore.conformance.expect import same
from casstore.conformance.samples import add, add_blob, blob, loose, row
from casstore.conformance.subject import FORK, REOPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from casstore.conformance.subject import Subject


@needs(REOPEN)
def check_everything_is_there_after_reopening(subject: Subject) -> None:
    """What a transaction did is there for who opens the store later."""
    backend = subject.fresh()
    with backend.transaction():
        first = backend.add_blob(blob("a"))
        second = backend.add_blob(blob("b", first))
        third = backend.add_blob(loose("c", second))
        backend.set_line(b"k" * 16, second)
        put = row("s", first, second, third, attributes="{}", path="p", capture="c")
        version = backend.add_version(put)
    before = backend.counts()[:-1]
    backend.close()
    other = subject.again(backend)
    same(other.version(version), put._replace(id=version), "the version")
    same(list(other.chain(first)), [blob("a")._replace(id=first)], "the whole blob")
    same([each.id for each in other.chain(second)], [second, first], "the chain of the delta")
    same([each.id for each in other.loose_blobs(5)], [third], "the loose blobs")
    same(other.newest_in_line(b"k" * 16), second, "the line")
    same(other.version_of_capture("c"), put._replace(id=version), "the capture")
    same(other.counts()[:-1], before, "the totals")


@needs(REOPEN)
def check_nothing_of_an_unfinished_block_is_there(subject: Subject) -> None:
    """What a block did that ended with an exception is not there after reopening."""
    backend = subject.fresh()
    [kept] = add(backend, row("kept"))
    try:
        with backend.transaction():
            backend.add_version(row("undone", backend.add_blob(blob("undone"))))
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    backend.close()
    other = subject.again(backend)
    same([each.id for each in other.versions()], [kept], "the versions")
    same(other.find_blob(blob("undone").digest), None, "the blob of the unfinished block")


@needs(REOPEN)
def check_ids_grow_over_reopening(subject: Subject) -> None:
    """A new id is larger than a deleted one also for who opens the store later."""
    backend = subject.fresh()
    ids = add(backend, row(), row())
    with backend.transaction():
        for each in ids:
            backend.delete_version(each)
    backend.close()
    other = subject.again(backend)
    same(other.last_version_id(), ids[-1], "the counter")
    [new] = add(other, row())
    same(new > ids[-1], True, f"the id {new} is larger than the deleted {ids[-1]}")


@needs(FORK)
def check_a_forked_child_goes_on(subject: Subject) -> None:
    """A forked child reads and writes the store on its own; the parent goes on beside it."""
    backend = subject.fresh()
    add(backend, row("before", add_blob(backend, blob("before"))))

    def child() -> None:
        found = backend.latest("before")
        same(found is not None, True, "the parent's version, read in the child")
        add(backend, row("child", add_blob(backend, blob("child"))))

    _in_child(child)
    found = backend.latest("child")
    same(found is not None, True, "the child's version, read in the parent")
    add(backend, row("parent"))
    same(backend.counts().versions, 3, "the versions of both")


@needs(FORK)
def check_a_child_ends_without_harm_to_an_open_block(subject: Subject) -> None:
    """A child forked while a block is open, that reads and ends, changes nothing of the block."""
    backend = subject.fresh()
    add(backend, row("before"))
    with backend.transaction():
        made = backend.add_version(row("open"))
        _in_child(lambda: same(backend.latest("open"), None, "the open block, seen in the child"))
        same(backend.latest("open"), row("open", id=made), "the block's own version")
    same(backend.counts().versions, 2, "the versions after the block")


def _in_child(work: Callable[[], None]) -> None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - measured in the parent only
        message = b""
        try:
            work()
        except BaseException as error:
            message = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace")
        os.write(write, message[:4000])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        message = answer.read()
    os.waitpid(child, 0)
    same(message.decode(), "", "what failed in the child")
