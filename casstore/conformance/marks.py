"""Tags, pins and notes: kept with their versions, and in the way of deleting them."""

from __future__ import annotations

from functools import partial

from casstore.conformance.expect import raises, same
from casstore.conformance.samples import FIRST_TIME, add, row
from casstore.errors import StorageFailed
from casstore.records import Marks, TagInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.backends.base import Backend
    from casstore.conformance.subject import Subject


def _marks(backend: Backend, version: int) -> Marks:
    return backend.marks([version]).get(version, Marks())


def check_tags_come_back(subject: Subject) -> None:
    """A tag names one version, moves when it is set again, and is listed by name."""
    backend = subject.fresh()
    first, second = add(backend, row("s"), row("s"))
    names = ("b", "a", "B", "\u00e9", "e\u0301", "\U0001f600", "\uffff", "b c")
    with backend.transaction():
        for name in names:
            backend.set_tag(name, first, FIRST_TIME)
    expected = [TagInfo(name, first, FIRST_TIME) for name in sorted(names)]
    same(list(backend.tags()), expected, "the tags")
    same(list(backend.tags(after="B", limit=2)), expected[1:3], "two beyond 'B'")
    same(backend.tag("a"), TagInfo("a", first, FIRST_TIME), "the tag a")
    same(backend.tag("A"), None, "a tag that is not there")
    with backend.transaction():
        backend.set_tag("a", second, "later")
    same(backend.tag("a"), TagInfo("a", second, "later"), "the tag a, moved")
    same(_marks(backend, second).tags, ("a",), "the tags of the second version")
    same(_marks(backend, first).tags, tuple(sorted(set(names) - {"a"})), "those of the first")
    with backend.transaction():
        same(backend.remove_tag("a"), True, "a tag that was there")
        same(backend.remove_tag("a"), False, "a tag that was not")
    same(backend.tag("a"), None, "a tag taken away")


def check_pins_and_notes_come_back(subject: Subject) -> None:
    """Pins and notes are on the version that they were put on, and go when taken away."""
    backend = subject.fresh()
    first, second, third = add(backend, row("s"), row("s"), row("s"))
    with backend.transaction():
        backend.set_pin(first, FIRST_TIME)
        backend.set_pin(first, "again")
        backend.set_note(first, "one\nline \u00e9")
        backend.set_note(second, "old")
        backend.set_note(second, "new")
        backend.set_note(third, None)
    found = backend.marks([first, second, third])
    same(found.get(first), Marks((), True, "one\nline \u00e9"), "the first version's")
    same(found.get(second), Marks((), False, "new"), "the second version's")
    same(found.get(third, Marks()), Marks(), "the third version's")
    with backend.transaction():
        same(backend.remove_pin(first), True, "a pin that was there")
        same(backend.remove_pin(first), False, "a pin that was not")
        backend.set_note(first, None)
    same(_marks(backend, first), Marks(), "after taking all away")


def check_marked_versions_stay(subject: Subject) -> None:
    """A version with a tag or pin is not deleted; one with a note goes, and the note with it."""
    backend = subject.fresh()
    tagged, pinned, noted = add(backend, row("s"), row("s"), row("s"))
    with backend.transaction():
        backend.set_tag("t", tagged, FIRST_TIME)
        backend.set_pin(pinned, FIRST_TIME)
        backend.set_note(noted, "n")
    for each in (tagged, pinned):
        raises(StorageFailed, partial(_delete, backend, each), "deleting a marked version")
        same(backend.version(each) is not None, True, "it is still there")
    _delete(backend, noted)
    add(backend, row("s", id=noted))
    same(_marks(backend, noted), Marks(), "a version of the same id has no note")
    with backend.transaction():
        backend.remove_tag("t")
        backend.remove_pin(pinned)
        same(backend.delete_version(tagged), True, "deleting it then")
        same(backend.delete_version(pinned), True, "deleting it then")


def _delete(backend: Backend, version: int) -> None:
    with backend.transaction():
        backend.delete_version(version)


def check_marks_need_a_version(subject: Subject) -> None:
    """A tag, pin or note on a version that is not there is refused."""
    backend = subject.fresh()
    for call in (
        partial(backend.set_tag, "t", 7, FIRST_TIME),
        partial(backend.set_pin, 7, FIRST_TIME),
        partial(backend.set_note, 7, "n"),
    ):
        raises(StorageFailed, call, "a mark on no version")
    same(list(backend.tags()), [], "the tags")
