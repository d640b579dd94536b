"""Captured files: the exact bytes come back, and the document in them is found."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import Damaged, InvalidDocument, Store
from casstore.backends.memory import MemoryBackend
from casstore.records import LOOSE
from tests.support.exact import assert_same
from tests.support.stores import Place
from tests.support.strategies import VALUES

BOM = b"\xef\xbb\xbf"
API = b'{\n  "3": {"class_type": "KSampler", "inputs": {"seed": 1}}\n}\n'
UI = b'{"id":"w","nodes":[{"id":1}],"links":[]}'

# (the file, its format, the value of workflow_data, whether workflow_data_ui is the same)
FILES: list[tuple[str, bytes | None, str, Any, bool]] = [
    ("api", API, "api", {"3": {"class_type": "KSampler", "inputs": {"seed": 1}}}, False),
    ("ui", UI, "ui", {"id": "w", "nodes": [{"id": 1}], "links": []}, True),
    ("wrapped", b'{"prompt":%s}' % API, "wrapped", {"prompt": json.loads(API)}, False),
    ("json_object", b"{}", "json", {}, False),
    ("json_list", b"[1, 1.0]", "json", [1, 1.0], False),
    ("json_null", b"null", "json", None, False),
    ("json_number", b" 5\n", "json", 5, False),
    ("bom", BOM + UI, "ui", {"id": "w", "nodes": [{"id": 1}], "links": []}, True),
    ("same_key_twice", b'{"nodes":[1],"nodes":[]}', "ui", {"nodes": []}, True),
    ("not_a_number", b'{"nodes":[NaN,1e999]}', "ui", {"nodes": [float("nan"), float("inf")]}, True),
    ("broken", b'{"nodes":[', "text", None, False),
    ("nested_too_deep", b"[" * 600 + b"]" * 600, "text", None, False),
    ("text", "caf\u00e9\n".encode(), "text", None, False),
    ("bom_and_text", BOM + b"text", "text", None, False),
    ("only_a_bom", BOM, "text", None, False),
    ("empty", b"", "text", None, False),
    ("latin_1", b'{"a":"caf\xe9"}', "binary", None, False),
    ("image", b"\x89PNG\r\n\x1a\n\x00\xff", "binary", None, False),
    ("utf_16", '{"a":1}'.encode("utf-16"), "binary", None, False),
    ("absent", None, "absent", None, False),
]


@pytest.mark.parametrize(
    ("source", "kind", "value", "is_ui"),
    [row[1:] for row in FILES],
    ids=[row[0] for row in FILES],
)
def test_a_file_comes_back_to_the_byte_with_its_document(
    store: Store, source: bytes | None, kind: str, value: Any, is_ui: bool
) -> None:
    saved = store.save_file("a", source, path="p/w.json", attributes={"z": 1, "a": None})
    version = store.restore(saved.version_id)
    assert store.restore_source(saved.version_id) == source
    assert_same(version.workflow_data, value)
    assert_same(version.workflow_data_ui, value if is_ui else None)
    assert_same(version.attributes, {"z": 1, "a": None, "format": kind})
    row = store.row(saved.version_id)
    assert row.data is not None, "workflow_data is JSON null, not SQL NULL"
    assert row.ui == (row.data if is_ui else None)


@given(
    st.one_of(
        st.binary(),
        st.builds(
            lambda value, indent, bom: bom + json.dumps(value, indent=indent).encode(),
            VALUES,
            st.sampled_from([None, 2]),
            st.sampled_from([b"", BOM]),
        ),
    )
)
def test_every_file_comes_back_to_the_byte(source: bytes) -> None:
    store = Store(MemoryBackend())
    store.save_file("a", source[1:])
    saved = store.save_file("a", source)
    fresh = Store(store._backend)
    assert fresh.restore_source(saved.version_id) == source
    version = fresh.restore(saved.version_id)
    try:
        text = source.removeprefix(BOM).decode()
        assert not text.startswith("\ufeff")
        expected = json.loads(text)
    except (ValueError, AssertionError):
        expected = None
        assert version.attributes["format"] in ("text", "binary")
    assert_same(version.workflow_data, expected)


def test_a_document_and_its_file_are_one_blob_where_they_are_the_same_bytes(store: Store) -> None:
    store.save_file("a", UI)
    assert store.info().blobs == 1
    row = store.row(1)
    assert row.source == row.data == row.ui
    store.save_file("a", BOM + UI)
    assert store.info().blobs == 2


def test_an_unchanged_file_costs_no_blob(store: Store) -> None:
    assert store.save_file("a", UI, path="p").deduplicated is False
    assert store.save_file("b", UI, path="p").deduplicated is True
    assert store.save_file("a", UI, path="q").deduplicated is True
    assert store.info().blobs == 1


def test_a_format_given_by_the_caller_does_not_count(store: Store) -> None:
    store.save_file("a", b"text", attributes={"format": "api", "b": 1})
    assert_same(store.restore(1).attributes, {"format": "text", "b": 1})


def test_a_time_given_by_the_caller_is_kept(store: Store) -> None:
    saved = store.save_file("a", UI, created_at="2026-01-31T12:00:00.000+00:00")
    assert saved.created_at == "2026-01-31T12:00:00.000+00:00"
    assert store.restore(1).created_at == "2026-01-31T12:00:00.000+00:00"


def test_a_capture_makes_one_version(store: Store) -> None:
    first = store.save_file("a", UI, path="p", capture="c1", created_at="t1")
    again = store.save_file("b", UI, path="p", capture="c1", created_at="t2")
    assert (again.version_id, again.created_at) == (first.version_id, "t1")
    assert again.content_hash == first.content_hash
    assert again.deduplicated is True
    other = store.save_file("a", UI, path="p", capture="c2")
    assert other.version_id == 2
    assert [v.session_id for v in store.versions()] == ["a", "a"]


def test_a_capture_with_other_bytes_answers_with_the_first_version(store: Store) -> None:
    first = store.save_file("a", UI, capture="c1")
    again = store.save_file("a", API, capture="c1")
    assert again.version_id == first.version_id
    assert again.content_hash == first.content_hash
    assert store.info().versions == 1


def test_a_version_that_captured_no_file_has_no_source(store: Store) -> None:
    store.save("a", {"a": 1})
    assert store.restore_source(1) is None
    assert store.source_digest(1) is None


def test_the_digest_of_a_source_is_that_of_its_bytes(store: Store) -> None:
    for source in (UI, BOM + UI, b"", b"\xff"):
        saved = store.save_file("a", source)
        assert store.source_digest(saved.version_id) == hashlib.sha256(source).digest()


@pytest.mark.parametrize("source", ["{}", bytearray(b"{}"), memoryview(b"{}"), 5, {"a": 1}])
def test_what_is_no_bytes_is_refused(store: Store, source: Any) -> None:
    with pytest.raises(InvalidDocument, match="must be bytes"):
        store.save_file("a", source)
    assert store.info().versions == 0


@pytest.mark.parametrize("attributes", [[1], "{}", 5, {"a": (1,)}, {1: 2}])
def test_attributes_that_are_no_json_object_are_refused(store: Store, attributes: Any) -> None:
    with pytest.raises(InvalidDocument):
        store.save_file("a", UI, attributes=attributes)
    assert store.info().versions == 0


class TestLoose:
    def test_documents_wait_as_they_are_and_pack_into_the_same_values(self, place: Place) -> None:
        loose = place.open(loose=True)
        values = [{"nodes": [n, float(n), 2**64 + n, "\ud83d"], "id": "w"} for n in range(8)]
        for value in values:
            saved = loose.save("a", value, value, {"n": 1})
            assert saved.content_hash is None
        info = loose.info()
        assert (info.blobs, info.loose) == (8, 8)
        assert all(version.content_hash is None for version in loose.versions())
        for number, value in enumerate(values, 1):
            assert_same(loose.restore(number).workflow_data, value)
        assert loose.pack(3) == 3
        assert loose.info().loose == 5
        assert place.open().pack() == 5
        assert loose.pack() == 0
        fresh = place.open()
        hashes = [fresh.save("b", value).content_hash for value in values]
        assert [version.content_hash for version in fresh.versions("a")] == hashes
        for number, value in enumerate(values, 1):
            version = fresh.restore(number)
            assert_same(version.workflow_data, value)
            assert_same(version.workflow_data_ui, value)

    def test_a_damaged_document_keeps_no_other_from_being_packed(self) -> None:
        backend = MemoryBackend()
        loose = Store(backend, loose=True)
        for number in range(4):
            loose.save("a", {"n": number, "pad": "x" * 500})
        blobs = backend.data.committed.blobs
        for damaged, data in ((1, b'{"n": 0}'), (2, "text"), (3, 5)):
            blobs[damaged] = blobs[damaged]._replace(data=data)  # type: ignore[arg-type]
        assert Store(backend).pack() == 4
        assert {blob.encoding for blob in backend.data.committed.blobs.values()}.isdisjoint({LOOSE})
        fresh = Store(backend)
        assert_same(fresh.restore(4).workflow_data, {"n": 3, "pad": "x" * 500})
        for damaged in (1, 2, 3):
            with pytest.raises(Damaged):
                fresh.restore(damaged)
