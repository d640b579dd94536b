"""Versions: ids that only grow, rows that come back, the latest of a session, path or capture."""

from __future__ import annotations

from functools import partial

from casstore.conformance.expect import raises, same
from casstore.conformance.samples import add, add_blob, blob, row
from casstore.errors import InvalidVersion, StorageFailed
from casstore.records import VersionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.conformance.subject import Subject

# Text that an engine may trim, fold, normalise or cut: it must not.
LABELS = (
    "session",
    "Session",
    "session ",
    " ",
    "",
    "é",
    "e\u0301",
    "\U0001f600",
    "\uffff",
    "a\nb\tc",
    "'; DROP TABLE versions; --",
    "x" * 5000,
)


def check_every_field_comes_back(subject: Subject) -> None:
    """Every field of a version comes back as it was put, None and empty text apart."""
    backend = subject.fresh()
    a, b, c = (add_blob(backend, blob(name)) for name in "abc")
    full = row(
        "s\u00e9ssion",
        a,
        b,
        c,
        attributes='{"b": 1, "a":"\u20ac"}',
        created_at="2026-01-31 12:00:00",
        path="projects/demo/inputs/w.json",
        capture="capture-1",
    )
    [first] = add(backend, full)
    same(backend.version(first), full._replace(id=first), "the full version")
    empty = VersionRow(0, None, None, None, None, None, None)
    [second] = add(backend, empty)
    same(backend.version(second), empty._replace(id=second), "the version of None")
    blank = row("", a, attributes="", created_at="")
    [third] = add(backend, blank)
    same(backend.version(third), blank._replace(id=third), "the version of empty text")
    same(backend.version(third + 1), None, "a version that was never made")


def check_ids_are_positive_and_grow(subject: Subject) -> None:
    """The first id is positive, each next one larger."""
    backend = subject.fresh()
    same(backend.last_version_id(), 0, "the counter of an empty store")
    ids = add(backend, *[row() for _ in range(5)])
    same(ids[0] > 0, True, "the first id is positive")
    same(ids, sorted(set(ids)), "the ids in the order they were given")
    same(backend.last_version_id(), ids[-1], "the counter")


def check_ids_grow_past_deleted_ones(subject: Subject) -> None:
    """A new id is larger than any before, also after the largest was deleted."""
    backend = subject.fresh()
    ids = add(backend, row(), row(), row())
    for gone in ids[:0:-1]:
        with backend.transaction():
            same(backend.delete_version(gone), True, "delete_version of the largest")
    same(backend.last_version_id(), ids[-1], "the counter after the delete")
    [new] = add(backend, row())
    same(new > ids[-1], True, f"the id {new} is larger than the deleted {ids[-1]}")
    with backend.transaction():
        for gone in (ids[0], new):
            backend.delete_version(gone)
    [newest] = add(backend, row())
    same(newest > new, True, "the id after all versions were deleted is larger than all")


def check_the_caller_may_name_the_id(subject: Subject) -> None:
    """A named id is used; the next one given is larger; one that is taken is refused."""
    backend = subject.fresh()
    same(add(backend, row("a", id=50)), [50], "the named id")
    same(add(backend, row("b")), [51], "the id after it")
    same(add(backend, row("c", id=7)), [7], "a named id below the largest")
    same(add(backend, row("d")), [52], "the id after that")
    raises(InvalidVersion, lambda: add(backend, row("e", id=51)), "an id that is taken")
    kept = backend.version(51)
    same(kept and kept.session, "b", "the version whose id was asked for again")
    same(backend.latest("e"), None, "the version that was refused")


def check_the_counter_can_be_raised_only(subject: Subject) -> None:
    """The counter of ids can be raised, in an empty store too, and is never lowered."""
    backend = subject.fresh()
    with backend.transaction():
        backend.set_last_version_id(100)
    same(backend.last_version_id(), 100, "the raised counter")
    same(add(backend, row()), [101], "the next id")
    with backend.transaction():
        backend.set_last_version_id(5)
    same(backend.last_version_id(), 101, "the counter after an attempt to lower it")
    same(add(backend, row()), [102], "the id after that")


def check_large_ids(subject: Subject) -> None:
    """Ids of 63 bits are kept."""
    backend = subject.fresh()
    big = 2**63 - 2
    same(add(backend, row("a", id=big)), [big], "the named id")
    found = backend.latest("a")
    same(found and found.id, big, "the latest")
    same(add(backend, row("a")), [big + 1], "the id after it")


def check_labels_are_compared_exactly(subject: Subject) -> None:
    """Session labels and paths are kept apart to the character: case, space, accents, length."""
    backend = subject.fresh()
    ids = dict(zip(LABELS, add(backend, *[row(x, path=x) for x in LABELS]), strict=True))
    for label, version_id in ids.items():
        expected = row(label, path=label, id=version_id)
        same(backend.latest(label), expected, f"the latest of the session {label[:30]!r}")
        same(backend.latest_of_path(label), expected, f"the latest of the path {label[:30]!r}")


def check_latest_is_the_largest_id(subject: Subject) -> None:
    """The latest of a session or path is that with the largest id, whenever it was made."""
    backend = subject.fresh()
    same(backend.latest("a"), None, "the latest of a session that has none")
    same(backend.latest_of_path("p"), None, "the latest of a path that has none")
    rows = [
        row("a", id=10, path="p", created_at="2026-01-01"),
        row("b", id=20, path="p", created_at="2025-01-01"),
        row("a", id=5, path="q", created_at="2027-01-01"),
    ]
    add(backend, *rows)
    same(backend.latest("a"), rows[0], "the latest of the session")
    same(backend.latest_of_path("p"), rows[1], "the latest of the path")
    with backend.transaction():
        backend.delete_version(10)
        backend.delete_version(20)
    same(backend.latest("a"), rows[2], "the latest after the delete")
    same(backend.latest_of_path("p"), None, "the latest of the path after the delete")


def check_versions_without_a_session(subject: Subject) -> None:
    """Versions of no session have a latest of their own, apart from the empty label's."""
    backend = subject.fresh()
    none, empty = add(backend, row(None), row(""))
    for label, expected in ((None, none), ("", empty)):
        found = backend.latest(label)
        same(found and found.id, expected, f"the latest of the session {label!r}")


def check_captures_are_unique(subject: Subject) -> None:
    """A capture's name finds its version, and is refused a second time."""
    backend = subject.fresh()
    [first] = add(backend, row("a", capture="c1"))
    add(backend, row("a"), row("a"))
    found = backend.version_of_capture("c1")
    same(found and found.id, first, "the version of the capture")
    same(backend.version_of_capture("c2"), None, "the version of an unknown capture")
    raises(
        StorageFailed, lambda: add(backend, row("b", capture="c1")), "a capture's second version"
    )
    same(backend.latest("b"), None, "the refused version")
    with backend.transaction():
        backend.delete_version(first)
    same(backend.version_of_capture("c1"), None, "the capture of a deleted version")
    same(len(add(backend, row("b", capture="c1"))), 1, "the name after its version was deleted")


def check_update_changes_that_version_only(subject: Subject) -> None:
    """An update gives a version new values and no other; its id and the counter stay."""
    backend = subject.fresh()
    a, b = (add_blob(backend, blob(name)) for name in "ab")
    first, second = add(backend, row("s", a, path="p", capture="c"), row("s", a))
    new = row("t", b, a, b, id=first, attributes="{}", created_at="now", path="q", capture="d")
    with backend.transaction():
        backend.update_version(new)
    same(backend.version(first), new, "the updated version")
    same(backend.version(second), row("s", a, id=second), "the other version")
    same(backend.latest("t"), new, "the latest of its new session")
    same(backend.version_of_capture("c"), None, "the capture it had")
    same(backend.last_version_id(), second, "the counter")
    with backend.transaction():  # its own capture is no conflict
        backend.update_version(new._replace(session=None, path=None))
    same(backend.version(first), new._replace(session=None, path=None), "the second update")


def check_delete_says_whether_there_was_one(subject: Subject) -> None:
    """Deleting gives True and removes; a second time it gives False. The blobs stay."""
    backend = subject.fresh()
    a = add_blob(backend, blob("a"))
    first, second = add(backend, row("s", a), row("s", a))
    with backend.transaction():
        same(backend.delete_version(first), True, "the first delete")
        same(backend.delete_version(first), False, "the second delete")
    same(backend.version(first), None, "the deleted version")
    same(backend.version(second), row("s", a, id=second), "the version beside it")
    same(backend.find_blob(blob("a").digest), a, "the blob")


def check_blobs_must_be_there(subject: Subject) -> None:
    """A version that refers to a blob that is not there is refused, in each of its columns."""
    backend = subject.fresh()
    a = add_blob(backend, blob("a"))
    for wrong in (row("s", 4711), row("s", a, 4711), row("s", a, a, 4711)):
        raises(StorageFailed, partial(add, backend, wrong), "add_version with a missing blob")
    same(backend.latest("s"), None, "the refused versions")
