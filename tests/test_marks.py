"""Tags and pins keep a version until they are taken away; a note goes with it."""

from __future__ import annotations

import pytest

from casstore.errors import (
    InvalidDocument,
    InvalidTag,
    TagNotFound,
    VersionNotFound,
    VersionProtected,
)
from casstore.records import Marks
from casstore.store import Store


@pytest.fixture
def version(store: Store) -> int:
    return store.save("s", {"a": 1}).version_id


def test_marks_are_there_until_taken_away(store: Store, version: int) -> None:
    made = store.tag("b", version)
    store.tag("a", version)
    assert store.tag("b", version) == made
    assert store.pin(version)
    assert not store.pin(version)
    store.note(version, "why")
    assert store.marks([version]) == {version: Marks(("a", "b"), True, "why")}
    assert [tag.name for tag in store.tags()] == ["a", "b"]
    assert store.find_tag("b") == made
    assert store.untag("b") == made
    assert store.unpin(version)
    assert not store.unpin(version)
    store.note(version, None)
    assert store.marks([version]) == {version: Marks(("a",), False, None)}
    with pytest.raises(TagNotFound):
        store.untag("b")


def test_a_tag_moves_only_when_asked_to(store: Store, version: int) -> None:
    other = store.save("s", {"a": 2}).version_id
    store.tag("t", version)
    with pytest.raises(InvalidTag, match=f"names version {version} already"):
        store.tag("t", other)
    assert store.tag("t", other, move=True).version_id == other


@pytest.mark.parametrize("mark", ["tag", "pin"])
def test_a_marked_version_is_deleted_by_force_alone(store: Store, version: int, mark: str) -> None:
    if mark == "tag":
        store.tag("t", version)
    else:
        store.pin(version)
    store.note(version, "n")
    with pytest.raises(VersionProtected) as caught:
        store.delete(version)
    assert caught.value.details["pinned"] is (mark == "pin")
    assert store.version(version).version_id == version
    store.delete(version, force=True)
    with pytest.raises(VersionNotFound):
        store.version(version)
    assert list(store.tags()) == []


@pytest.mark.parametrize("name", ["", " a", "a\n", "42", "a~1", "a@{b}", "tag:a", "-a", "x" * 201])
def test_a_name_that_no_revision_could_mean_is_refused(
    store: Store, version: int, name: str
) -> None:
    with pytest.raises(InvalidTag, match="cannot be a tag"):
        store.tag(name, version)


def test_marks_on_no_version_are_refused(store: Store) -> None:
    for call in (lambda: store.tag("t", 9), lambda: store.pin(9), lambda: store.note(9, "n")):
        with pytest.raises(VersionNotFound):
            call()
    with pytest.raises(InvalidDocument):
        store.note(9, "\ud800")
