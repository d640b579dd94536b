"""The store against a dictionary: whatever is done in whatever order, every version that was saved
comes back exactly."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from casstore import Store, VersionNotFound
from casstore.formats import workflow_format
from tests.support.exact import assert_same
from tests.support.stores import ENGINES, Place
from tests.support.strategies import DOCUMENTS, KEYS, TEXT, VALUES

SESSIONS = st.sampled_from(["a", "b", "session three"])
PATHS = st.sampled_from([None, "projects/p/inputs/w.json", "q.json"])


@pytest.mark.parametrize("engine", ENGINES)
def test_any_document_comes_back_by_id_and_by_session(engine: str, tmp_path: Path) -> None:
    place = Place(engine, tmp_path)
    store = place.open()

    @given(DOCUMENTS, st.none() | DOCUMENTS, st.none() | DOCUMENTS)
    def check(data: Any, ui: Any, attributes: Any) -> None:
        saved = store.save("a", data, ui, attributes)
        for reader in (store, Store(store._backend)):  # from memory, and from what is stored
            for version in (reader.restore(saved.version_id), reader.restore(session_id="a")):
                assert_same(version.workflow_data, data)
                assert_same(version.workflow_data_ui, ui)
                assert_same(version.attributes, attributes)

    check()
    place.close()


class Saved(NamedTuple):
    """What the model remembers of a version."""

    session: str | None
    data: Any
    ui: Any
    attributes: Any
    source: bytes | None = None
    texts: tuple[bytes, bytes | None] | None = None


class Model(RuleBasedStateMachine):
    """One store, used by two `Store` objects (one of them loose) and opened again at will."""

    engine = ""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="casstore-"))
        self.place = Place(self.engine, self.folder)
        self.versions: dict[int, Saved] = {}
        self.captures: dict[str, int] = {}
        self.largest = 0
        self.open()

    def teardown(self) -> None:
        self.place.close()
        shutil.rmtree(self.folder)

    def open(self) -> None:
        self.store = self.place.open()
        self.loose = self.place.open(loose=True)

    def remember(self, version_id: int, saved: Saved) -> None:
        assert version_id > self.largest, "ids only grow"
        self.largest = version_id
        self.versions[version_id] = saved

    def any_of(self, values: dict[int, Saved], data: st.DataObject) -> int:
        return data.draw(st.sampled_from(sorted(values)))

    def writer(self, loose: bool) -> Store:
        return self.loose if loose else self.store

    @initialize(document=DOCUMENTS)
    def begin(self, document: Any) -> None:
        self.save("a", document, None, None, False)

    @rule(session=SESSIONS, data=DOCUMENTS, ui=st.none() | DOCUMENTS,
          attributes=st.none() | DOCUMENTS, loose=st.booleans())  # fmt: skip
    def save(self, session: str, data: Any, ui: Any, attributes: Any, loose: bool) -> None:
        made = self.writer(loose).save(session, data, ui, attributes)
        self.remember(made.version_id, Saved(session, data, ui, attributes))

    @precondition(lambda self: self.versions)
    @rule(session=SESSIONS, key=KEYS, value=VALUES, loose=st.booleans(), data=st.data())
    def edit(self, session: str, key: str, value: Any, loose: bool, data: st.DataObject) -> None:
        """A few bytes of some earlier version change, in this or another session."""
        old = self.versions[self.any_of(self.versions, data)].data
        base = old if isinstance(old, dict) else {}
        self.save(session, {"id": "w", "nodes": [], **base, key: value}, None, None, loose)

    @precondition(lambda self: self.versions)
    @rule(session=SESSIONS, loose=st.booleans(), data=st.data())
    def undo(self, session: str, loose: bool, data: st.DataObject) -> None:
        """An earlier version is saved again."""
        old = self.versions[self.any_of(self.versions, data)]
        if isinstance(old.data, dict) and not isinstance(old.ui, list):
            ui = old.ui if isinstance(old.ui, dict) else None
            self.save(session, old.data, ui, None, loose)

    @rule(session=SESSIONS, path=PATHS, loose=st.booleans(), seed=st.integers(0, 99),
          source=st.one_of(st.none(), st.binary(), TEXT.map(lambda t: t.encode("utf-8", "replace")),
                           VALUES.map(lambda v: json.dumps(v, indent=1).encode())))  # fmt: skip
    def save_file(
        self, session: str, path: str | None, loose: bool, seed: int, source: bytes | None
    ) -> None:
        capture = f"capture {seed}"
        made = self.writer(loose).save_file(
            session, source, path=path, attributes={"c": capture}, capture=capture
        )
        if capture in self.captures:
            assert made.version_id == self.captures[capture]
            return
        self.captures[capture] = made.version_id
        try:
            text = (source or b"").removeprefix(b"\xef\xbb\xbf").decode()
            value = None if text.startswith("\ufeff") else json.loads(text)
        except ValueError:
            value = None
        is_ui = isinstance(value, dict) and isinstance(value.get("nodes"), list)
        ui = value if is_ui else None
        word = "absent" if source is None else workflow_format(value)
        if source is not None and value is None and source.strip() != b"null":
            word = self.store.version(made.version_id).attributes["format"]
            assert word in ("text", "binary")
        attributes = {"c": capture, "format": word}
        self.remember(made.version_id, Saved(session, value, ui, attributes, source))

    @rule(session=SESSIONS, value=VALUES, ui=st.none() | VALUES, indent=st.sampled_from([None, 1]))
    def save_texts(self, session: str, value: Any, ui: Any, indent: int | None) -> None:
        data = json.dumps(value, indent=indent)
        other = None if ui is None else json.dumps(ui, indent=indent)
        made = self.store.save_texts(session, data, other)
        texts = (data.encode(), None if other is None else other.encode())
        self.remember(made, Saved(session, value, ui, None, None, texts))

    @precondition(lambda self: self.versions)
    @rule(value=VALUES, data=st.data())
    def replace(self, value: Any, data: st.DataObject) -> None:
        version_id = self.any_of(self.versions, data)
        text = json.dumps(value)
        before = self.store.restore_texts(version_id)[1]
        self.store.save_texts("b", text, version_id=version_id, replace=True)
        # the captured bytes go with the document that they belonged to
        same = before is not None and before[0] == text.encode()
        source = self.versions[version_id].source if same else None
        self.versions[version_id] = Saved("b", value, None, None, source, (text.encode(), None))

    @rule(limit=st.none() | st.integers(0, 3))
    def pack(self, limit: int | None) -> None:
        before = self.store.info().loose
        packed = self.store.pack(limit)
        assert packed == (before if limit is None else min(limit, before))
        assert self.store.info().loose == before - packed

    @precondition(lambda self: self.versions)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        version_id = self.any_of(self.versions, data)
        self.store.delete(version_id)
        del self.versions[version_id]
        self.captures = {name: i for name, i in self.captures.items() if i != version_id}
        with pytest.raises(VersionNotFound):
            self.store.restore(version_id)

    @rule()
    def reopen(self) -> None:
        self.place.close()
        self.open()

    @rule()
    def fail(self) -> None:
        """A transaction that ends with an exception."""

        def fails(row: Any) -> int:
            raise KeyboardInterrupt

        self.store._backend.add_version = fails  # type: ignore[method-assign]
        try:
            self.store.save("a", {"lost": random.Random(len(self.versions)).random()})
        except KeyboardInterrupt:
            pass
        finally:
            del self.store._backend.add_version

    @invariant()
    def every_version_comes_back(self) -> None:
        fresh = Store(self.store._backend)
        for version_id, saved in self.versions.items():
            version = fresh.restore(version_id)
            assert version.session_id == saved.session
            assert_same(version.workflow_data, saved.data)
            assert_same(version.workflow_data_ui, saved.ui)
            assert fresh.restore_source(version_id) == saved.source
            assert_same(version.attributes, saved.attributes)
            if saved.texts is not None:
                _, data, ui = fresh.restore_texts(version_id)
                assert (data and data[0], ui and ui[0]) == saved.texts

    @invariant()
    def lists_and_counts_agree(self) -> None:
        assert [v.version_id for v in self.loose.versions()] == sorted(self.versions)
        info = self.store.info()
        assert info.versions == len(self.versions)
        for session in {saved.session for saved in self.versions.values()}:
            ids = [i for i, saved in self.versions.items() if saved.session == session]
            assert self.loose.restore(session_id=session).version_id == max(ids)


class SqliteModel(Model):
    engine = "sqlite"


class MemoryModel(Model):
    engine = "memory"


STEPS = settings(max_examples=settings().max_examples // 2, stateful_step_count=25)
TestSqliteModel = SqliteModel.TestCase
TestSqliteModel.settings = STEPS
TestMemoryModel = MemoryModel.TestCase
TestMemoryModel.settings = STEPS
