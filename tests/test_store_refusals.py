"""What cannot be kept is refused with a typed error, and nothing of it is stored."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import pytest

from casstore import (
    InvalidDocument,
    InvalidSession,
    StorageFailed,
    Store,
)
from tests.support.exact import assert_same

API = {"3": {"class_type": "KSampler", "inputs": {"seed": 156680208700286, "cfg": 8.0}}}


UI = {"id": "7f6c-1", "nodes": [{"id": 1, "widgets_values": ["cat", 1, 1.0, True]}], "links": []}


def _everything(store: Store) -> object:
    return (list(store.versions()), list(store.sessions()), store.info().blobs)


REFUSED: list[tuple[Any, str]] = [
    (None, "null"),
    ([API], "a list"),
    ((), "a list"),
    ('{"3": {}}', "a string holding JSON; parse it first"),
    ("<html></html>", "a string holding an HTML page, not JSON"),
    ("hello", "a string"),
    (b'{"3": {}}', "bytes holding text"),
    (b"\x89PNG\r\n\x1a\n", "bytes holding a PNG image"),
    (5, "a number"),
    (True, "a boolean"),
    (collections.OrderedDict(a=1), "of type collections.OrderedDict"),
]


class TestRefusing:
    @pytest.mark.parametrize(("value", "kind"), REFUSED, ids=[kind for _, kind in REFUSED])
    def test_what_is_no_object_is_named(self, store: Store, value: Any, kind: str) -> None:
        calls: dict[str, Callable[[], object]] = {
            "workflow_data": lambda: store.save("a", value),
            "workflow_data_ui": lambda: store.save("a", API, value),
            "attributes": lambda: store.save("a", API, None, value),
        }
        if value is None:
            calls = {"workflow_data": calls["workflow_data"]}
        for name, call in calls.items():
            with pytest.raises(InvalidDocument) as caught:
                call()
            assert caught.value.message == (
                f"{name} must be a JSON object, a dict in Python; it is {kind}"
            )
            assert caught.value.details == {"field": name}

    @pytest.mark.parametrize(
        ("session", "message"),
        [
            ("", "session_id is empty"),
            (None, "session_id must be a string; it is null"),
            (5, "session_id must be a string; it is a number"),
            (b"a", "session_id must be a string; it is bytes holding text"),
            ("a\x00b", "session_id holds a NUL character"),
            ("a\ud83d", "session_id holds a lone surrogate"),
        ],
    )
    def test_sessions(self, store: Store, session: Any, message: str) -> None:
        for call in (
            lambda: store.save(session, API),
            lambda: store.save_file(session, b"{}"),
            lambda: store.save_texts(session, "{}"),
            lambda: store.restore(session_id="" if session is None else session),
        ):
            with pytest.raises(InvalidSession) as caught:
                call()
            assert caught.value.message.startswith((message, "session_id is empty"))
        assert store.info().versions == 0

    @pytest.mark.parametrize(
        "values",
        [
            ({"a": (1,)},),
            (API, {"a": {1: 2}}),
            (API, UI, {"a": {1}}),
            (API, UI, {"a": "\ud83d\ude00"}),
            ({"a": 10**5000},),
        ],
    )
    def test_stores_nothing_and_leaves_the_latest(self, store: Store, values: Any) -> None:
        store.save("a", API, UI)
        before = _everything(store)
        with pytest.raises(InvalidDocument):
            store.save("a", *values)
        assert _everything(store) == before
        assert_same(store.restore(session_id="a").workflow_data, API)

    @pytest.mark.parametrize("method", ["add_version", "add_blob", "set_line", "latest"])
    def test_a_backend_that_fails_leaves_nothing(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, method: str
    ) -> None:
        store.save("a", API)
        before = _everything(store)
        calls = 0
        real = getattr(store._backend, method)

        def fails(*arguments: Any) -> Any:
            nonlocal calls
            calls += 1
            if method != "add_blob" or calls == 2:  # the first of two documents is in by then
                raise StorageFailed("the disk is full")
            return real(*arguments)

        monkeypatch.setattr(store._backend, method, fails, raising=False)
        with pytest.raises(StorageFailed):
            store.save("new", {"x": 1}, {**UI, "y": 2})
        monkeypatch.undo()
        assert calls
        assert _everything(store) == before
        assert store.save("new", {"x": 1}, {**UI, "y": 2}).deduplicated is False

    @pytest.mark.parametrize("word", ["a\udcff", 5, b"a"])
    def test_text_that_no_backend_keeps(self, store: Store, word: Any) -> None:
        for name in ("path", "capture", "created_at"):
            with pytest.raises(InvalidDocument) as caught:
                store.save_file("a", b"{}", **{name: word})
            assert caught.value.details == {"field": name}
        with pytest.raises(InvalidDocument):
            list(store.versions(path=word))
        with pytest.raises(InvalidSession):
            list(store.versions(word))
        assert store.info().versions == 0
