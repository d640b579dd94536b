"""Lists come in pages and in order; the next version is stored against one that is like it."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from casstore import (
    Store,
    documents,
)
from casstore import store as store_module
from casstore.records import DELTA

API = {"3": {"class_type": "KSampler", "inputs": {"seed": 156680208700286, "cfg": 8.0}}}


UI = {"id": "7f6c-1", "nodes": [{"id": 1, "widgets_values": ["cat", 1, 1.0, True]}], "links": []}


class TestLists:
    def test_versions_say_what_they_are_without_their_documents(self, store: Store) -> None:
        saved = store.save("a", API, UI, {"note": "x"})
        captured = store.save_file("b", b"{}", path="projects/p/inputs/w.json")
        first, second = store.versions()
        assert first.version_id == saved.version_id
        assert (first.session_id, first.created_at) == ("a", saved.created_at)
        assert first.content_hash == saved.content_hash
        ui = documents.from_value(UI, "x")
        data = documents.from_value(API, "x")
        assert ui.content_hash is not None
        assert first.ui_content_hash == ui.content_hash.hex()
        assert first.size == len(data.payload) + len(ui.payload)
        assert (first.attributes, first.path) == ({"note": "x"}, None)
        assert (second.version_id, second.path) == (captured.version_id, "projects/p/inputs/w.json")
        assert (second.size, second.ui_content_hash) == (2, None)
        assert store.version(saved.version_id) == first

    @pytest.mark.parametrize("page", [1, 2, 3, 7, 500])
    def test_versions_come_in_pages_without_gaps(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, page: int
    ) -> None:
        monkeypatch.setattr(store_module, "_PAGE", page)
        ids: dict[str, list[int]] = {"a": [], "b": []}
        for number in range(14):
            session = "ab"[number % 3 == 0]
            path = "p" if number % 2 else None
            saved = store.save_file(session, b'{"n":%d}' % number, path=path)
            ids[session].append(saved.version_id)
        every = sorted(ids["a"] + ids["b"])
        assert [v.version_id for v in store.versions()] == every
        assert [v.version_id for v in store.versions(newest_first=True)] == every[::-1]
        assert [v.version_id for v in store.versions("b")] == ids["b"]
        assert [v.version_id for v in store.versions("a", newest_first=True)] == ids["a"][::-1]
        assert [v.version_id for v in store.versions(path="p")] == every[1::2]
        assert [v.version_id for v in store.versions("b", path="p")] == ids["b"][1::2]
        assert list(store.versions("none of that name")) == []
        assert [s.session_id for s in store.sessions()] == ["a", "b"]

    def test_a_walk_does_not_hold_up_saves(self, store: Store, monkeypatch: Any) -> None:
        monkeypatch.setattr(store_module, "_PAGE", 2)
        for number in range(4):
            store.save("a", {"n": number})
        seen = []
        for version in store.versions():
            seen.append(version.version_id)
            if len(seen) < 6:
                store.save("a", {"more": len(seen)})
        assert seen == list(range(1, 10))

    def test_sessions_have_counts_and_spans(self, store: Store) -> None:
        first, _, last = store.save("a", API), store.save("b", API), store.save("a", UI)
        one, two = store.sessions()
        assert one == ("a", 2, 1, 3, first.created_at, last.created_at)
        assert (two.session_id, two.versions) == ("b", 1)

    def test_info_counts_bytes(self, store: Store) -> None:
        for number in range(10):
            store.save("a", {**UI, "n": number}, {"n": number})
        store.save("b", {**UI, "n": 0})
        info = store.info()
        payloads = [documents.from_value({**UI, "n": n}, "x").payload for n in range(10)]
        small = sum(len(b'{"n":0}') for _ in range(10))
        assert (info.versions, info.sessions, info.blobs, info.loose) == (11, 2, 20, 0)
        assert info.distinct_bytes == sum(map(len, payloads)) + small
        assert info.logical_bytes == info.distinct_bytes + len(payloads[0])
        assert 0 < info.stored_bytes < info.distinct_bytes
        assert info.file_bytes >= info.stored_bytes
        assert info.location == store.location
        assert info.format == 1
        assert info.engine.startswith(("SQLite 3.", "memory"))


class TestLines:
    """Which version the next is stored against."""

    DOCUMENT: ClassVar = {**UI, "text": [str(n * n) for n in range(300)]}

    def _stored(self, store: Store, version_id: int) -> int:
        blob = store.row(version_id).data
        assert blob is not None
        return len(store._backend.chain(blob)[0].data)

    def test_an_edit_costs_a_few_dozen_bytes(self, store: Store) -> None:
        for number in range(30):
            saved = store.save("a", {**self.DOCUMENT, "n": number})
            if number:
                assert self._stored(store, saved.version_id) < 60

    def test_each_column_has_a_line_of_its_own(self, store: Store) -> None:
        other = {"api": [str(n * 7) for n in range(300)]}
        for number in range(5):
            saved = store.save("a", {**self.DOCUMENT, "n": number}, {**other, "n": number})
        assert store.info().stored_bytes < 2000 + len(str(other)) // 2
        row = store.row(saved.version_id)
        for blob in (row.data, row.ui):
            assert blob is not None
            assert store._backend.chain(blob)[0].encoding == DELTA

    def test_the_first_version_of_a_session_finds_the_workflow_by_its_id(
        self, store: Store
    ) -> None:
        store.save("a", self.DOCUMENT)
        same = store.save("b", {**self.DOCUMENT, "edited": 1})
        assert self._stored(store, same.version_id) < 60
        other = store.save("c", {**self.DOCUMENT, "id": "another", "edited": 2})
        assert self._stored(store, other.version_id) > 300

    def test_a_captured_file_finds_its_path_in_every_session(self, store: Store) -> None:
        text = b'{"n":[%s]}' % b",".join(b"%d" % (n * n) for n in range(400))
        store.save_file("a", text, path="p/w.json")
        store.save_file("b", b"[other]", path="p/other.json")
        saved = store.save_file("b", text.replace(b"[0,", b"[7,"), path="p/w.json")
        assert self._stored(store, saved.version_id) < 60
