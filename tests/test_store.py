"""The store: what is saved comes back by id and by session."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from casstore import (
    CasstoreError,
    InvalidDocument,
    InvalidVersion,
    SessionNotFound,
    Store,
    UsageError,
    VersionNotFound,
    documents,
)
from casstore.backends.memory import MemoryBackend
from tests.support.exact import assert_same
from tests.support.stores import Place

API = {"3": {"class_type": "KSampler", "inputs": {"seed": 156680208700286, "cfg": 8.0}}}


UI = {"id": "7f6c-1", "nodes": [{"id": 1, "widgets_values": ["cat", 1, 1.0, True]}], "links": []}


TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")


class TestSaving:
    def test_answers_with_id_time_hash_and_whether_it_was_known(self, store: Store) -> None:
        first = store.save("a", API)
        assert first.version_id == 1
        assert TIME.fullmatch(first.created_at)
        expected = documents.from_value(API, "x").content_hash
        assert expected is not None
        assert first.content_hash == expected.hex()
        assert first.deduplicated is False
        second = store.save("b", API)
        assert (second.version_id, second.content_hash) == (2, first.content_hash)
        assert second.deduplicated is True

    def test_is_deduplicated_only_where_every_document_was_known(self, store: Store) -> None:
        store.save("a", API)
        assert store.save("a", API, UI).deduplicated is False
        assert store.save("a", API, UI).deduplicated is True
        assert store.save("a", UI, API).deduplicated is True
        assert store.info().blobs == 2

    def test_gives_back_the_documented_fields(self, store: Store) -> None:
        saved = store.save("s\u00e9ssion 1", API, UI, {"b": 1, "a": [1.0, None]})
        version = store.restore(saved.version_id)
        assert list(version.as_dict()) == [
            "version_id",
            "session_id",
            "workflow_data",
            "workflow_data_ui",
            "attributes",
            "created_at",
        ]
        assert (version.version_id, version.session_id) == (saved.version_id, "s\u00e9ssion 1")
        assert version.created_at == saved.created_at
        assert_same(version.workflow_data, API)
        assert_same(version.workflow_data_ui, UI)
        assert_same(version.attributes, {"b": 1, "a": [1.0, None]})

    def test_absent_and_empty_are_two_things(self, store: Store) -> None:
        absent = store.restore(store.save("a", {}).version_id)
        assert (absent.workflow_data, absent.workflow_data_ui, absent.attributes) == (
            {},
            None,
            None,
        )
        empty = store.restore(store.save("a", {}, {}, {}).version_id)
        assert (empty.workflow_data, empty.workflow_data_ui, empty.attributes) == ({}, {}, {})

    def test_keeps_its_own_copy(self, store: Store) -> None:
        value: dict[str, Any] = {"nodes": [1]}
        attributes = {"a": [1]}
        saved = store.save("a", value, None, attributes)
        value["nodes"].append(2)
        attributes["a"].append(2)
        version = store.restore(saved.version_id)
        version.workflow_data["nodes"].append(3)
        again = store.restore(saved.version_id)
        assert_same(again.workflow_data, {"nodes": [1]})
        assert_same(again.attributes, {"a": [1]})

    def test_order_of_keys_is_kept_where_the_content_is_equal(self, store: Store) -> None:
        one, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
        first, second = store.save("a", one), store.save("a", other)
        assert first.content_hash == second.content_hash
        assert second.deduplicated is False
        assert_same(store.restore(first.version_id).workflow_data, one)
        assert_same(store.restore(second.version_id).workflow_data, other)

    def test_survives_closing(self, place: Place) -> None:
        with place.open() as store:
            saved = store.save("a", API, UI, {"x": 1})
        version = place.open().restore(session_id="a")
        assert version.version_id == saved.version_id
        assert_same(version.as_dict()["workflow_data_ui"], UI)


class TestRestoring:
    def test_the_latest_of_a_session_is_its_last_save(self, store: Store) -> None:
        for number in range(4):
            store.save("ab"[number % 2], {"n": number})
        assert store.restore(session_id="a").workflow_data == {"n": 2}
        assert store.restore(session_id="b").workflow_data == {"n": 3}
        assert store.restore(1).workflow_data == {"n": 0}

    def test_what_is_not_there_is_named(self, store: Store) -> None:
        store.save("a", API)
        with pytest.raises(VersionNotFound) as version:
            store.restore(2)
        assert version.value.details == {"version_id": 2}
        with pytest.raises(SessionNotFound) as session:
            store.restore(session_id="A")
        assert session.value.details == {"session_id": "A"}
        assert store.location in version.value.message
        assert store.location in session.value.message

    def test_names_exactly_one(self, store: Store) -> None:
        store.save("a", API)
        for version_id, session_id in ((None, None), (1, "a")):
            with pytest.raises(UsageError):
                store.restore(version_id, session_id)

    @pytest.mark.parametrize("version_id", [0, -1, True, 1.0, "1", 2**63, 2**70, b"1", [1]])
    def test_ids_that_are_none(self, store: Store, version_id: Any) -> None:
        store.save("a", API)
        calls: list[Callable[[], object]] = [
            lambda: store.restore(version_id),
            lambda: store.restore_texts(version_id),
            lambda: store.restore_source(version_id),
            lambda: store.version(version_id),
            lambda: store.delete(version_id),
        ]
        if version_id != 0:  # which asks for the next id
            calls.append(lambda: store.save_texts("a", "{}", version_id=version_id))
        for call in calls:
            with pytest.raises(InvalidVersion):
                call()
        assert store.info().versions == 1

    def test_the_largest_id_there_can_be_is_looked_up(self, store: Store) -> None:
        with pytest.raises(VersionNotFound):
            store.restore(2**63 - 1)

    def test_deleted_versions_are_gone_and_their_ids_stay_taken(self, store: Store) -> None:
        ids = [store.save("a", {"n": n}).version_id for n in range(3)]
        store.delete(ids[2])
        assert store.restore(session_id="a").workflow_data == {"n": 1}
        for call in (store.delete, store.restore, store.restore_source):
            with pytest.raises(VersionNotFound):
                call(ids[2])
        assert store.save("a", {"n": 9}).version_id == ids[2] + 1


class TestTexts:
    TEXT = '{ "b":1E2,\r\n\t"a":"\\u00e9\u00e9", "n":[18446744073709552000, NaN] }\n'

    def test_are_kept_to_the_byte(self, store: Store) -> None:
        made = store.save_texts("a", self.TEXT, "[ ]", ' {"x" : 1}', "2026-01-31 12:00:00")
        row, data, ui = store.restore_texts(made)
        assert data is not None
        assert ui is not None
        assert (data[0], ui[0]) == (self.TEXT.encode(), b"[ ]")
        assert (row.attributes, row.created_at) == (' {"x" : 1}', "2026-01-31 12:00:00")
        version = store.restore(made)
        expected = {"b": 100.0, "a": "\u00e9\u00e9", "n": [18446744073709552000, float("nan")]}
        assert_same(version.workflow_data, expected)
        assert_same(version.workflow_data_ui, [])
        assert_same(version.attributes, {"x": 1})

    def test_null_stays_null(self, store: Store) -> None:
        made = store.save_texts("a", None)
        row, data, ui = store.restore_texts(made)
        assert (data, ui, row.attributes, row.created_at) == (None, None, None, None)
        null = store.restore_texts(store.save_texts("a", "null"))
        assert null[1] is not None
        assert null[1][0] == b"null"

    def test_replace_gives_new_values_and_keeps_the_id(self, store: Store) -> None:
        first = store.save_texts("a", '{"n":1}', None, None, "t1")
        second = store.save_texts("a", '{"n":2}', None, None, "t2")
        store.save_texts("b", '{"n":3}', "{}", "{}", "t3", version_id=first, replace=True)
        row, data, _ = store.restore_texts(first)
        assert (row.id, row.session, row.created_at) == (first, "b", "t3")
        assert data is not None
        assert data[0] == b'{"n":3}'
        assert store.restore(session_id="a").version_id == second
        with pytest.raises(VersionNotFound):
            store.save_texts("a", "{}", version_id=99, replace=True)

    def test_a_named_id_is_used_once(self, store: Store) -> None:
        assert store.save_texts("a", "{}", version_id=50) == 50
        with pytest.raises(InvalidVersion):
            store.save_texts("a", "{}", version_id=50)
        assert store.save("a", API).version_id == 51

    @pytest.mark.parametrize("text", ["{", "", '{"a":1,"a":2}', "\ufeff{}", "nul", 5, b"{}", {}])
    def test_that_are_no_documents_are_refused_unless_taken_over(
        self, store: Store, text: Any
    ) -> None:
        for arguments in ((text,), ("{}", text), ("{}", "{}", text)):
            with pytest.raises(InvalidDocument):
                store.save_texts("a", *arguments)
        assert store.info().blobs == 0
        if isinstance(text, str):
            made = store.save_texts("a", text, text, text, any_text=True)
            row, data, ui = store.restore_texts(made)
            assert data is not None
            assert data[0] == text.encode()
            assert data == ui
            assert row.attributes == text

    def test_taken_over_text_comes_back_as_the_text_it_is(self, store: Store) -> None:
        made = store.save_texts(None, "{broken", '{"a":1,"a":2}', "{broken", any_text=True)
        version = store.restore(made)
        assert version.session_id is None
        assert version.workflow_data == "{broken"
        assert version.workflow_data_ui == {"a": 2}
        assert version.attributes == "{broken"


class TestHandling:
    def test_closes_at_the_end_of_a_block_and_twice(self, place: Place) -> None:
        with place.open() as store:
            store.save("a", API)
        store.close()
        store.close()

    def test_asks_to_settle_before_every_read_and_before_no_save(self, place: Place) -> None:
        calls: list[Store] = []
        store = Store(place.backend(), before_read=calls.append)
        store.save("a", API)
        store.save_file("a", b"{}")
        store.save_texts("a", "{}")
        store.pack()
        assert calls == []
        for read in (
            lambda: store.restore(1),
            lambda: store.restore(session_id="a"),
            lambda: store.restore_texts(1),
            lambda: store.restore_source(1),
            lambda: store.row(1),
            lambda: store.version(1),
            lambda: list(store.versions()),
            lambda: list(store.sessions()),
            store.info,
        ):
            calls.clear()
            read()
            assert calls == [store]

    def test_what_settling_saves_is_read(self, place: Place) -> None:
        settled: list[int] = []

        def settle(each: Store) -> None:
            if not settled:
                settled.append(each.save("a", {"settled": 1}).version_id)

        store = Store(place.backend(), before_read=settle)
        assert store.restore(session_id="a").workflow_data == {"settled": 1}

    def test_threads_may_share_a_store(self, store: Store) -> None:
        errors: list[BaseException] = []
        saved: dict[int, Any] = {}

        def work(number: int) -> None:
            try:
                for turn in range(25):
                    value = {**UI, "thread": number, "turn": turn, "pad": ["x"] * 50}
                    made = store.save(f"thread {number % 2}", value)
                    saved[made.version_id] = value
                    for version_id in list(saved)[-5:]:
                        assert_same(store.restore(version_id).workflow_data, saved[version_id])
                    assert len(list(store.versions(f"thread {number % 2}"))) > turn
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert sorted(saved) == list(range(1, 101))
        for version_id, value in saved.items():
            assert_same(store.restore(version_id).workflow_data, value)

    def test_errors_are_casstores_own(self, store: Store) -> None:
        with pytest.raises(CasstoreError) as caught:
            store.restore(5)
        assert caught.value.as_dict()["code"] == "version_not_found"
        assert caught.value.exit_code == 13

    def test_a_store_in_memory_needs_no_file(self) -> None:
        with Store(MemoryBackend()) as store:
            assert store.location == "memory"
            assert store.save("a", API).version_id == 1
