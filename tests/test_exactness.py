"""Exact or refused: every hard input and every real workflow, through every way of saving."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from casstore import CasstoreError, InvalidDocument, Store, documents, jsontext
from casstore.backends.memory import MemoryBackend
from tests.support import corpus
from tests.support.exact import assert_same
from tests.support.hard_inputs import EXACT, HARD_INPUTS, POLICY, REFUSED, HardInput, with_rule
from tests.support.stores import Place
from tests.support.templates import BLUEPRINTS, TEMPLATES, files_of

BOM = b"\xef\xbb\xbf"


def hard(rule: str) -> pytest.MarkDecorator:
    """The rows of one rule, as the argument ``row``."""
    return pytest.mark.parametrize("row", with_rule(rule), ids=lambda row: row.name)


def as_object(value: Any) -> dict[str, Any]:
    """The value, inside an object where it is none: roots are objects."""
    return value if isinstance(value, dict) else {"root": value}


@hard(EXACT)
class TestExact:
    def test_as_a_value(self, store: Store, row: HardInput) -> None:
        value = as_object(json.loads(row.data))
        saved = store.save("a", value, value, value)
        for reader in (store, Store(store._backend)):
            version = reader.restore(saved.version_id)
            assert_same(version.workflow_data, value)
            assert_same(version.workflow_data_ui, value)
            assert_same(version.attributes, value)

    def test_as_a_text(self, store: Store, row: HardInput) -> None:
        made = store.save_texts("a", row.data.decode(), row.data.decode())
        fresh = Store(store._backend)
        _, data, ui = fresh.restore_texts(made)
        assert data is not None
        assert data[0] == row.data
        assert ui == data
        assert_same(fresh.restore(made).workflow_data, json.loads(row.data))

    def test_as_a_file(self, store: Store, row: HardInput) -> None:
        saved = store.save_file("a", row.data)
        fresh = Store(store._backend)
        assert fresh.restore_source(saved.version_id) == row.data
        assert_same(fresh.restore(saved.version_id).workflow_data, json.loads(row.data))

    def test_as_a_loose_value_and_after_packing(self, place: Place, row: HardInput) -> None:
        value = as_object(jsontext.loads(row.data.decode()))
        saved = place.open(loose=True).save("a", value)
        assert_same(place.open().restore(saved.version_id).workflow_data, value)
        assert place.open().pack() == 1
        assert_same(place.open().restore(saved.version_id).workflow_data, value)

    def test_as_an_edit_of_another_document(self, store: Store, row: HardInput) -> None:
        """As a delta, not as a whole frame."""
        pad = {"pad": [str(n * n) for n in range(300)]}
        value = {**pad, **json.loads(row.data)}
        store.save("a", {**pad, "other": 1})
        saved = store.save("a", value)
        if len(row.data) < 2000:
            blob = store.row(saved.version_id).data
            assert blob is not None
            assert len(store._backend.chain(blob)) == 2
        assert_same(Store(store._backend).restore(saved.version_id).workflow_data, value)


@hard(REFUSED)
class TestRefused:
    def test_with_its_code_and_nothing_stored(self, store: Store, row: HardInput) -> None:
        kept = store.save("a", {"kept": True})
        before = store.info()
        with pytest.raises(CasstoreError) as caught:
            documents.from_text(row.data, "workflow_data")
        assert caught.value.code == row.code
        assert caught.value.exit_code == 2
        assert caught.value.message.startswith("workflow_data ")
        try:
            text = row.data.decode()
        except UnicodeDecodeError:
            text = row.data.decode("utf-8", "surrogateescape")
        for arguments in ((text,), ("{}", text), ("{}", None, text)):
            with pytest.raises(CasstoreError) as caught:
                store.save_texts("a", *arguments)
            assert caught.value.code == row.code
        assert store.info() == before
        assert store.restore(session_id="a").version_id == kept.version_id

    def test_as_a_value_where_python_can_read_it(self, store: Store, row: HardInput) -> None:
        try:
            value = json.loads(row.data.decode())
        except (ValueError, RecursionError):
            return
        with pytest.raises(InvalidDocument):
            store.save("a", {"v": value})
        assert store.info().blobs == 0

    def test_but_kept_to_the_byte_as_a_file(self, store: Store, row: HardInput) -> None:
        saved = store.save_file("a", row.data)
        fresh = Store(store._backend)
        assert fresh.restore_source(saved.version_id) == row.data
        assert fresh.restore(saved.version_id).workflow_data is None


@hard(POLICY)
def test_policy_rows_are_kept_to_the_byte_as_files(store: Store, row: HardInput) -> None:
    saved = store.save_file("a", row.data)
    assert Store(store._backend).restore_source(saved.version_id) == row.data


class TestPolicies:
    """One test for each of casstore's own rules."""

    def _row(self, name: str) -> bytes:
        [data] = [row.data for row in HARD_INPUTS if row.name == name]
        return data

    def test_a_byte_order_mark_belongs_to_the_file_and_not_to_the_document(
        self, store: Store
    ) -> None:
        data = self._row("byte_order_mark")
        with pytest.raises(InvalidDocument, match="BOM"):
            store.save_texts("a", data.decode())
        saved = store.save_file("a", data)
        version = store.restore(saved.version_id)
        assert_same(version.workflow_data, {"nodes": [], "links": []})
        row = store.row(saved.version_id)
        assert row.data is not None
        assert store._chains.payload(row.data)[0] == data.removeprefix(BOM)

    @pytest.mark.parametrize(
        ("name", "key"), [("same_key_twice", "5"), ("same_key_twice_inside", "inputs")]
    )
    def test_a_key_that_stands_twice_is_named_and_refused_but_kept_in_files(
        self, store: Store, name: str, key: str
    ) -> None:
        data = self._row(name)
        with pytest.raises(InvalidDocument) as caught:
            store.save_texts("a", data.decode())
        assert caught.value.code == "duplicate_key"
        assert caught.value.details == {"key": key}
        assert store.info().blobs == 0
        version = store.restore(store.save_file("a", data).version_id)
        assert_same(version.workflow_data, json.loads(data))

    def test_a_null_root_is_no_workflow(self, store: Store) -> None:
        with pytest.raises(InvalidDocument, match="it is null"):
            store.save("a", json.loads(self._row("null")))
        version = store.restore(store.save_file("a", self._row("null")).version_id)
        assert version.workflow_data is None
        assert version.attributes == {"format": "json"}


def _check_files(files: Iterable[Path], folder: Path) -> int:
    """Every file as a file and as a value, in one store; the number of files. Values are
    compared by their text in Python, which tells types and order and is quick."""
    place = Place("sqlite", folder)
    store = place.open()
    seen: list[tuple[Path, bytes, str]] = []
    with store._backend.transaction():  # one commit for all
        for file in files:
            data = file.read_bytes()
            value = json.loads(data)
            as_file = store.save_file("files", data, path=file.name)
            as_value = store.save("values", as_object(value))
            if isinstance(value, dict):
                assert as_file.content_hash == as_value.content_hash, file.name
            seen.append((file, data, repr(value)))
    fresh = place.open()
    for number, (file, data, expected) in enumerate(seen):
        assert fresh.restore_source(2 * number + 1) == data, file.name
        assert repr(fresh.restore(2 * number + 1).workflow_data) == expected, file.name
        value = fresh.restore(2 * number + 2).workflow_data
        assert repr(value) == expected or repr(value["root"]) == expected, file.name
    place.close()
    return len(seen)


def test_every_template_comes_back(tmp_path: Path) -> None:
    assert _check_files(files_of(TEMPLATES), tmp_path) == 660


def test_every_blueprint_comes_back(tmp_path: Path) -> None:
    assert _check_files(files_of(BLUEPRINTS), tmp_path) == 115


@pytest.mark.skipif(not corpus.files(), reason="no corpus: see tests/support/corpus.py")
def test_every_file_of_the_corpus_comes_back(tmp_path: Path) -> None:
    assert _check_files(corpus.files(), tmp_path)


@pytest.mark.skipif(not corpus.hard_inputs(), reason="no corpus: see tests/support/corpus.py")
@pytest.mark.parametrize("row", corpus.hard_inputs(), ids=lambda row: row[0])
def test_every_hard_input_of_the_corpus_meets_its_rule(row: tuple[str, bytes, str]) -> None:
    _, data, must = row
    store = Store(MemoryBackend())
    store.save("a", {"kept": True})
    try:
        document = documents.from_text(data, "workflow_data")
        value = documents.value_of(document.payload, document.codec)
        saved = store.save("a", as_object(value))
    except CasstoreError:
        assert must in ("error", "either", "policy")
        assert store.info().blobs == 1
        assert store.restore(session_id="a").workflow_data == {"kept": True}
    else:
        assert must in ("exact", "either", "policy")
        assert_same(value, json.loads(data))
        version = Store(store._backend).restore(saved.version_id)
        assert_same(version.workflow_data, as_object(json.loads(data)))
    saved = store.save_file("a", data)
    assert Store(store._backend).restore_source(saved.version_id) == data
