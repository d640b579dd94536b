"""Every row is compared with its original before anything is kept: a copy that went wrong in any
column ends it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import casstore
from casstore import takeover
from casstore.backends.sqlite.plain import PlainTable
from casstore.backends.sqlite.upgrade import Upgrade
from casstore.errors import Damaged
from casstore.store import Store
from casstore.takeover import migrate, take_over
from tests.takeover import plainfiles
from tests.takeover.plainfiles import ROWS, make


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make(tmp_path / "s.sqlite")


def in_place(path: Path) -> None:
    take_over(path)


def into_a_store(path: Path) -> None:
    destination = path.parent / "other.sqlite"
    casstore.open_store(destination).close()
    try:
        migrate(path, destination)
    finally:
        assert plainfiles.store_rows(destination) == []
        destination.unlink()
        (path.parent / "other.sqlite-journal").unlink(missing_ok=True)


@pytest.mark.parametrize("way", [in_place, into_a_store])
@pytest.mark.parametrize("column", range(1, 6))
def test_a_changed_column_is_found(
    path: Path, monkeypatch: pytest.MonkeyPatch, way: Callable[[Path], None], column: int
) -> None:
    before = path.read_bytes()
    save = Store.save_texts

    def sabotaged(store: Store, *values: Any, version_id: int, any_text: bool) -> int:
        if version_id == 2:
            changed = b"{}" if column in (2, 3) else "other"
            values = (*values[: column - 1], changed, *values[column:])
            assert len(values) == 5
        return save(store, *values, version_id=version_id, any_text=any_text)

    monkeypatch.setattr(Store, "save_texts", sabotaged)
    with pytest.raises(Damaged, match="row 2 of"):
        way(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("row_id", [1, 9])
def test_a_row_that_is_not_there_is_found(
    path: Path, monkeypatch: pytest.MonkeyPatch, row_id: int
) -> None:
    rows = PlainTable.rows
    passes = iter([False, True])

    def shorter(table: PlainTable) -> Iterator[Any]:
        short = next(passes)
        return (row for row in rows(table) if not (short and row.id == row_id))

    monkeypatch.setattr(PlainTable, "rows", shorter)
    with pytest.raises(Damaged):
        take_over(path)
    assert plainfiles.kind(path) == "plain"


def test_what_is_compared_comes_from_the_database_not_from_memory(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare = takeover._Copier.compare

    def with_a_damaged_blob(copier: Any, rows: Any) -> None:
        copier._backend._connection.execute(
            "UPDATE blobs SET data = zeroblob(length(data)) WHERE id = (SELECT max(id) FROM blobs)"
        )
        compare(copier, rows)

    monkeypatch.setattr(takeover._Copier, "compare", with_a_damaged_blob)
    with pytest.raises(Damaged):
        take_over(path)
    assert plainfiles.kind(path) == "plain"
    assert plainfiles.beside(path) == []


def test_the_lock_comes_before_the_backup(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    back_up = Upgrade.back_up
    writer = sqlite3.connect(path, timeout=0)
    errors = []

    def after_a_try_to_write(upgrade: Upgrade) -> None:
        with pytest.raises(sqlite3.OperationalError, match="database is locked") as caught:
            writer.execute("DELETE FROM workflow_version")
        errors.append(caught.value)
        back_up(upgrade)

    monkeypatch.setattr(Upgrade, "back_up", after_a_try_to_write)
    done = take_over(path)
    monkeypatch.undo()
    writer.close()
    assert len(errors) == 1
    assert done.backup is not None
    assert plainfiles.store_rows(path) == plainfiles.store_rows(Path(done.backup)) == ROWS


def test_references_are_checked_before_the_commit(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Upgrade.commit

    def after_a_blob_is_lost(upgrade: Upgrade) -> str:
        upgrade._connection.execute("DELETE FROM blobs WHERE id = 1")
        return commit(upgrade)

    monkeypatch.setattr(Upgrade, "commit", after_a_blob_is_lost)
    with pytest.raises(Damaged, match="leads nowhere"):
        take_over(path)
    assert plainfiles.kind(path) == "plain"
    assert plainfiles.beside(path) == []
