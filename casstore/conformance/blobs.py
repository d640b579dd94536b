"""Blobs: what is put comes back, one per digest, and chains end or are called damaged."""

from __future__ import annotations

from casstore.conformance.expect import raises, same
from casstore.conformance.samples import add_blob, blob, loose
from casstore.digests import sha256
from casstore.errors import Damaged, StorageFailed
from casstore.records import DELTA, EXACT_JSON, LOOSE, WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.conformance.subject import Subject

MAX_LINKS = 100


def check_found_by_digest(subject: Subject) -> None:
    """A blob is found by its digest, and no other is."""
    backend = subject.fresh()
    same(backend.find_blob(blob("a").digest), None, "find_blob in an empty store")
    added = add_blob(backend, blob("a"))
    same(added > 0, True, "the id is positive")
    same(backend.find_blob(blob("a").digest), added, "find_blob of what was added")
    same(backend.find_blob(blob("b").digest), None, "find_blob of another digest")


def check_every_field_comes_back(subject: Subject) -> None:
    """Every field of a blob comes back as it was put, bytes that are no text included."""
    backend = subject.fresh()
    put = blob("a")._replace(data=bytes(range(256)) * 40, size=2**40, position=123_456, depth=3)
    added = add_blob(backend, put)
    same(list(backend.chain(added)), [put._replace(id=added)], "the blob")
    without = loose("b")
    added = add_blob(backend, without)
    same(list(backend.chain(added)), [without._replace(id=added)], "one without content hash")
    empty = blob("c")._replace(data=b"", size=0)
    added = add_blob(backend, empty)
    same(list(backend.chain(added)), [empty._replace(id=added)], "one of no bytes")


def check_header_is_the_blob_without_data(subject: Subject) -> None:
    """The header of a blob is the blob's own id, digest, size, base, depth and position."""
    backend = subject.fresh()
    first = add_blob(backend, blob("a"))
    put = blob("b", first)._replace(depth=5, position=17)
    second = add_blob(backend, put)
    expected = (second, put.digest, put.size, first, 5, 17)
    same(tuple(backend.blob_header(second)), expected, "the header")


def check_header_of_a_missing_blob_is_damage(subject: Subject) -> None:
    """A header of no blob raises Damaged: the caller had a reference to it."""
    backend = subject.fresh()
    raises(Damaged, lambda: backend.blob_header(4711), "blob_header of a missing blob")


def check_one_blob_per_digest(subject: Subject) -> None:
    """A digest that is there already is refused, and the blob there stays as it is."""
    backend = subject.fresh()
    added = add_blob(backend, blob("a"))
    again = blob("a")._replace(data=b"other")
    raises(StorageFailed, lambda: add_blob(backend, again), "add_blob of a known digest")
    same(backend.chain(added)[0].data, blob("a").data, "the data of the first")
    same(backend.counts().blobs, 1, "the number of blobs")


def check_base_must_be_there(subject: Subject) -> None:
    """A blob whose base is no blob is refused."""
    backend = subject.fresh()
    raises(StorageFailed, lambda: add_blob(backend, blob("a", 4711)), "add_blob without its base")
    same(backend.counts().blobs, 0, "the number of blobs")


def check_chain_goes_to_the_first_that_is_no_delta(subject: Subject) -> None:
    """A chain is the blob, its base and so on, up to and with the first that is no delta."""
    backend = subject.fresh()
    unused = add_blob(backend, blob("far"))
    start = add_blob(backend, loose("a", unused))
    middle = add_blob(backend, blob("b", start))
    top = add_blob(backend, blob("c", middle))
    chain = backend.chain(top)
    same([each.id for each in chain], [top, middle, start], "the ids of the chain")
    same([each.encoding for each in chain], [DELTA, DELTA, LOOSE], "the encodings")
    same([each.id for each in backend.chain(unused)], [unused], "the chain of a whole blob")


def check_chain_of_a_hundred_links(subject: Subject) -> None:
    """A chain of 100 links is given, one of 101 raises Damaged."""
    backend = subject.fresh()
    with backend.transaction():
        tops = [backend.add_blob(blob("0"))]
        for number in range(1, MAX_LINKS + 2):
            tops.append(backend.add_blob(blob(str(number), tops[-1])))
    chain = backend.chain(tops[MAX_LINKS])
    same([each.id for each in chain], tops[MAX_LINKS::-1], "the chain of 100 links")
    raises(Damaged, lambda: backend.chain(tops[MAX_LINKS + 1]), "chain of 101 links")


def check_chain_that_refers_back_is_damage(subject: Subject) -> None:
    """A chain that comes back to itself raises Damaged and ends."""
    backend = subject.fresh()
    first = add_blob(backend, blob("a"))
    second = add_blob(backend, blob("b", first))
    with backend.transaction():
        backend.replace_blob(blob("a", second)._replace(id=first))
    raises(Damaged, lambda: backend.chain(first), "chain in a circle")
    raises(Damaged, lambda: backend.chain(second), "chain in a circle, from its other blob")


def check_chain_without_a_start_is_damage(subject: Subject) -> None:
    """A chain of a missing blob, or one whose last blob is a delta, raises Damaged."""
    backend = subject.fresh()
    raises(Damaged, lambda: backend.chain(4711), "chain of a missing blob")
    alone = add_blob(backend, blob("a", None, DELTA))
    raises(Damaged, lambda: backend.chain(alone), "chain of a delta without a base")


def check_replace_changes_all_but_digest_and_size(subject: Subject) -> None:
    """Replacing gives a blob another form; its id, digest and size stay."""
    backend = subject.fresh()
    first = add_blob(backend, blob("a"))
    put = loose("b")
    second = add_blob(backend, put)
    other = blob("other", first)._replace(
        id=second, codec=EXACT_JSON, depth=9, position=99, data=b"\x01\x02"
    )
    with backend.transaction():
        backend.replace_blob(other._replace(digest=put.digest, size=put.size))
    expected = other._replace(digest=put.digest, size=put.size)
    same(backend.chain(second)[0], expected, "the replaced blob")
    same(backend.find_blob(put.digest), second, "find_blob of the kept digest")
    same(backend.find_blob(sha256(b"other")), None, "find_blob of the other digest")
    same(backend.chain(first)[0], blob("a")._replace(id=first), "the blob beside it")


def check_loose_blobs_lowest_first(subject: Subject) -> None:
    """Loose blobs come lowest id first, at most so many, until they are replaced."""
    backend = subject.fresh()
    names = ("a", "b", "c", "d")
    ids = {name: add_blob(backend, loose(name)) for name in names}
    add_blob(backend, blob("whole"))
    loose_ids = [ids[name] for name in names]
    same([each.id for each in backend.loose_blobs(10)], loose_ids, "all loose blobs")
    same([each.id for each in backend.loose_blobs(2)], loose_ids[:2], "the first two")
    first = backend.loose_blobs(1)[0]
    same(first, loose("a")._replace(id=ids["a"]), "the first with its data")
    with backend.transaction():
        backend.replace_blob(first._replace(encoding=WHOLE, data=b"packed"))
    same([each.id for each in backend.loose_blobs(10)], loose_ids[1:], "those left to pack")


def check_hashes_of_many(subject: Subject) -> None:
    """Content hashes and sizes come for each id asked for, however many; unknown ids are left."""
    backend = subject.fresh()
    expected: dict[int, tuple[bytes | None, int]] = {}
    with backend.transaction():
        for number in range(1200):
            put = blob(str(number)) if number % 3 else loose(str(number))
            expected[backend.add_blob(put)] = (put.content_hash, put.size)
    same(backend.blob_hashes([*expected, 10**6]), expected, "the hashes of 1,200 blobs")
    same(backend.blob_hashes([]), {}, "the hashes of none")


def check_line_names_its_newest(subject: Subject) -> None:
    """A line of edits gives the blob last set for it; lines do not touch one another."""
    backend = subject.fresh()
    first, second = add_blob(backend, blob("a")), add_blob(backend, blob("b"))
    key, other = bytes(range(16)), b"\xff" * 16
    same(backend.newest_in_line(key), None, "a line that was never set")
    with backend.transaction():
        backend.set_line(key, first)
        backend.set_line(other, first)
        backend.set_line(key, second)
    same(backend.newest_in_line(key), second, "the line set twice")
    same(backend.newest_in_line(other), first, "the other line")


def check_line_names_a_blob_that_is_there(subject: Subject) -> None:
    """A line cannot be set to a blob that is not there."""
    backend = subject.fresh()

    def set_line() -> None:
        with backend.transaction():
            backend.set_line(b"k" * 16, 4711)

    raises(StorageFailed, set_line, "set_line to a missing blob")
    same(backend.newest_in_line(b"k" * 16), None, "the line afterwards")
