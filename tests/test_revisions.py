"""Every way to write a version leads to the one that is meant, or to a list of those it fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.backends.memory import MemoryBackend
from casstore.errors import (
    CasstoreError,
    NotFound,
    SessionNotFound,
    TagNotFound,
    VersionNotFound,
)
from casstore.revisions import (
    AmbiguousRevision,
    InvalidRevision,
    RevisionNotFound,
    parse,
    resolve,
)
from casstore.store import Store
from casstore.when import InvalidTime

NOW = 1769861400_000  # 2026-01-31T12:10:00Z


def fill(store: Store) -> None:
    """Versions 1, 3, 5 of session a, 2, 4 of b; 2, 4, 5 of the file p/w.json; a minute apart."""
    for number in range(1, 6):
        store.save_file(
            "a" if number % 2 else "b",
            b'{"n": %d}' % number,
            path="p/w.json" if number in (2, 4, 5) else None,
            created_at=f"2026-01-31T12:0{number}:00.000+00:00",
        )
    store.tag("works", 3)


@pytest.fixture
def filled(store: Store) -> Store:
    fill(store)
    return store


def named(store: Store, text: str) -> int:
    return resolve(store, text, now=NOW, path_of={"w.json": "p/w.json"}.get).row.id


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("2", 2),
        ("002", 2),
        ("id:2", 2),
        ("3~1", 1),
        ("a", 5),
        ("b", 4),
        ("session:a", 5),
        ("a~", 3),
        ("a~0", 5),
        ("a~2", 1),
        ("a@{2026-01-31T12:03:30Z}", 3),
        ("a@{2026-01-31T12:03:00Z}", 3),
        ("a@{2026-01-31T12:02:59.999Z}", 1),
        ("a@{6 minutes ago}", 3),
        ("a@{6 minutes ago}~1", 1),
        ("works", 3),
        ("tag:works", 3),
        ("works~1", 1),
        ("p/w.json", 5),
        ("p\\w.json", 5),
        ("./p/w.json~1", 4),
        ("w.json~2", 2),
        ("path:w.json@{7 minutes ago}", 2),
    ],
)
def test_each_way_names_its_version(filled: Store, text: str, version: int) -> None:
    assert named(filled, text) == version


def test_a_content_hash_names_the_newest_version_that_holds_it(filled: Store) -> None:
    content = filled.version(2).content_hash
    assert content is not None
    assert named(filled, content) == 2
    assert named(filled, content[:7].upper()) == 2
    assert named(filled, f"hash:{content[:6]}") == 2
    again = filled.save("c", {"n": 2}).version_id
    assert named(filled, content) == again
    filled.save("c", {"n": 9})
    with pytest.raises(NotFound):
        named(filled, content[:5])
    filled.delete(2)
    filled.delete(again)
    with pytest.raises(RevisionNotFound):
        named(filled, content)


def test_hashes_with_the_same_first_digits_are_listed(store: Store) -> None:
    a, b = (store.save("s", {"n": n}) for n in (76, 102))
    backend = store._backend
    for blob_id, ending in ((1, b"\x01"), (2, b"\x02")):
        [blob] = [each for each in backend.chain(blob_id) if each.id == blob_id]
        backend.replace_blob(blob._replace(content_hash=b"\xab" * 31 + ending))
    with pytest.raises(AmbiguousRevision) as caught:
        named(store, "ababab")
    full = [f"hash:{'ab' * 31}{ending}" for ending in ("01", "02")]
    assert [each["revision"] for each in caught.value.details["candidates"]] == full
    assert [named(store, each) for each in full] == [a.version_id, b.version_id]


def test_what_fits_several_versions_is_refused_with_all_of_them(filled: Store) -> None:
    filled.save("works", {"n": 6})
    filled.save("4", {"n": 7})
    filled.save("a~2", {"n": 8})
    for text, expected in (
        ("works", {"session:works": 6, "tag:works": 3}),
        ("4", {"id:4": 4, "session:4": 7}),
        ("a~2", {"id:1": 1, "session:a~2~0": 8}),
    ):
        with pytest.raises(AmbiguousRevision) as caught:
            named(filled, text)
        details = caught.value.details["candidates"]
        assert isinstance(details, list)
        found = {each["revision"]: each["version_id"] for each in details}
        assert expected.items() <= found.items()
        assert len(details) == 2
        for revision in expected:
            assert revision in caught.value.message
            assert named(filled, revision) == expected[revision]
    assert named(filled, "tag:works") == 3
    assert named(filled, "session:4") == 7
    assert named(filled, "session:a~2~0") == 8


def test_a_name_that_fits_one_version_twice_is_that_version(filled: Store) -> None:
    filled.tag("a", 5)
    assert named(filled, "a") == 5


def test_a_number_is_a_hash_only_where_no_version_has_it(store: Store) -> None:
    store.save("s", {"n": 1})
    [blob] = store._backend.chain(1)
    store._backend.replace_blob(blob._replace(content_hash=b"\x12\x34\x56" + bytes(29)))
    assert named(store, "123456") == 1
    row = store.row(store.save("other", {"n": 2}).version_id)
    with store._backend.transaction():
        store._backend.add_version(row._replace(id=123456))
    assert named(store, "hash:123456") == 1
    assert named(store, "123456") == 123456


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("", InvalidRevision, "is empty"),
        ("a\x00", InvalidRevision, "NUL"),
        ("\ud800", InvalidRevision, "lone surrogate"),
        ("a~9999999999", InvalidRevision, "goes back by more than"),
        ("99", VersionNotFound, "there is no version 99 in"),
        ("id:99", VersionNotFound, "there is no version 99 in"),
        ("c", RevisionNotFound, "no session, tag, captured file or content hash is called 'c'"),
        ("session:c", SessionNotFound, "the session 'c' has no version"),
        ("tag:c", TagNotFound, "there is no tag 'c'"),
        ("hash:abcdef", RevisionNotFound, "no hash is called 'abcdef'"),
        ("a~3", RevisionNotFound, "'a' does not go back by 3 versions"),
        ("works~2", RevisionNotFound, "'works' does not go back by 2 versions"),
        ("a@{1 day ago}", RevisionNotFound, "'a' has no version from '1 day ago' or before"),
        ("a@{some day}", InvalidTime, "'some day' is no time that casstore reads"),
        ("0", NotFound, "is called '0'"),
        ("99999999999999999999", NotFound, "is called '99999999999999999999'"),
    ],
)
def test_what_names_no_version_says_why(
    filled: Store, text: str, kind: type[CasstoreError], message: str
) -> None:
    with pytest.raises(kind) as caught:
        named(filled, text)
    assert type(caught.value) is kind or kind is NotFound
    assert message in caught.value.message


MARKS = st.text("a~@{}:0123456789 \\/~abcdefp.jsonwrk", max_size=30)


@given(
    st.text(max_size=40)
    | MARKS
    | st.sampled_from(["id", "tag", "path"]).flatmap(
        lambda kind: MARKS.map(lambda rest: f"{kind}:{rest}")
    )
)
def test_any_text_is_a_version_or_a_typed_error(text: str) -> None:
    store = Store(MemoryBackend())
    fill(store)
    try:
        found = named(store, text)
    except CasstoreError as error:
        caught = error
    else:
        assert 1 <= found <= 5
        return
    assert caught.exit_code in (2, 13)
    assert caught.message


@given(
    st.sampled_from([None, "id", "session", "path", "tag", "hash"]),
    st.text("abc@{}~:", min_size=1, max_size=10),
    st.none() | st.text("abc 0123", max_size=10),
    st.integers(0, 10**9),
)
def test_what_is_put_together_is_read_so(
    kind: str | None, name: str, at: str | None, back: int
) -> None:
    time = "" if at is None else f"@{{{at}}}"
    text = (f"{kind}:" if kind else "") + f"{name}{time}~{back}"
    first = parse(text)[0]
    if at is not None or not (name.endswith("}") and "@{" in name):
        assert first == (kind, name, at, back)


def test_a_long_text_is_read_in_no_time() -> None:
    for text in ("@{" * 4900, "~" * 9900, "a@{" + "{" * 9000 + "}~", "9" * 9999):
        assert parse(text)
