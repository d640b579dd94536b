"""SQLite and the memory backend keep the contract, and the suite tells a backend that does not."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casstore import conformance
from casstore.backends.memory import MemoryBackend, MemoryData
from casstore.backends.sqlite import backend as sqlite_backend
from casstore.backends.sqlite import connection
from casstore.backends.sqlite.backend import SqliteBackend
from casstore.conformance import FORK, REOPEN, Subject
from casstore.conformance.adapter import EVERY_CHECK, verify
from casstore.errors import Damaged
from casstore.records import DELTA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casstore.backends.base import Backend
    from casstore.conformance.checks import Check
    from casstore.records import Blob, VersionRow


def _reopen_memory(backend: Any) -> MemoryBackend:
    return type(backend)(backend.data, timeout=0.05)  # type: ignore[no-any-return]


def _sqlite(folder: Path) -> Subject:
    made: list[SqliteBackend] = []

    def make() -> SqliteBackend:
        made.append(SqliteBackend(str(folder / f"{len(made)}.sqlite")))
        made[-1].identify(create=True)
        return made[-1]

    def reopen(backend: Backend) -> SqliteBackend:
        return SqliteBackend(backend.location, timeout=0.2)

    return Subject(make, reopen=reopen, fork=hasattr(os, "fork"))


@EVERY_CHECK
def test_sqlite_keeps_the_contract(check: Check, tmp_path: Path) -> None:
    verify(check, _sqlite(tmp_path))


@EVERY_CHECK
def test_sqlite_in_wal_mode_keeps_the_contract(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_backend, "wants_wal", lambda path: True)
    verify(check, _sqlite(tmp_path))


@EVERY_CHECK
def test_memory_keeps_the_contract(check: Check) -> None:
    verify(check, Subject(MemoryBackend, reopen=_reopen_memory))


class _ReusesIds(MemoryBackend):
    def delete_version(self, version_id: int) -> bool:
        with self.transaction():
            done = super().delete_version(version_id)
            self._state.last_version_id = max(self._state.versions, default=0)
            return done


class _LowersTheCounter(MemoryBackend):
    def set_last_version_id(self, version_id: int) -> None:
        with self.transaction():
            self._state.last_version_id = version_id


class _ReadersTakeNoTurns(MemoryBackend):
    @contextmanager
    def reading(self) -> Iterator[None]:
        yield


class _KeepsFailedBlocks(MemoryBackend):
    @contextmanager
    def transaction(self) -> Iterator[None]:
        error = None
        with super().transaction():
            try:
                yield
            except BaseException as raised:
                error = raised
        if error is not None:
            raise error


class _CommitsInnerBlocks(MemoryBackend):
    @contextmanager
    def transaction(self) -> Iterator[None]:
        with super().transaction():
            yield
            assert self._view is not None
            self.data.committed = self._view.copy()


class _LetsTwoWrite(MemoryBackend):
    def __init__(self, data: MemoryData | None = None, *, timeout: float = 1.0) -> None:
        super().__init__(data, timeout=timeout)

        class Never:
            def acquire(self, timeout: float = 0) -> bool:
                return True

            def release(self) -> None:
                pass

        self.data.writer = Never()  # type: ignore[assignment]


class _ShowsOpenBlocks(MemoryBackend):
    @contextmanager
    def transaction(self) -> Iterator[None]:
        with super().transaction():
            assert self._view is not None
            before, self.data.committed = self.data.committed, self._view
            try:
                yield
            except BaseException:
                self.data.committed = before
                raise


class _LosesEverythingOnReopen(MemoryBackend):
    def __init__(self, data: MemoryData | None = None, *, timeout: float = 1.0) -> None:
        super().__init__(None, timeout=timeout)


class _NoReferences(MemoryBackend):
    def _must_hold(self, *blob_ids: int | None) -> None:
        pass


class _OneMoreLink(MemoryBackend):
    def chain(self, blob_id: int) -> Sequence[Blob]:
        links: list[Blob] = []
        link: int | None = blob_id
        while link in self._state.blobs and len(links) <= 1000:
            links.append(self._state.blobs[link])
            if links[-1].encoding != DELTA:
                return links
            link = links[-1].base
        raise Damaged("no end")


class _ChainOfOne(MemoryBackend):
    def chain(self, blob_id: int) -> Sequence[Blob]:
        return super().chain(blob_id)[:1]


class _FoldsCase(MemoryBackend):
    def latest(self, session: str | None) -> VersionRow | None:
        rows = [r for r in self._rows() if (r.session or "").lower() == (session or "").lower()]
        return rows[-1] if rows else None


class _CapturesTwice(MemoryBackend):
    def version_of_capture(self, capture: str) -> VersionRow | None:
        return None


class _PageIncludesAfter(MemoryBackend):
    def versions(self, *, after: int = 0, **named: Any) -> Sequence[VersionRow]:
        return super().versions(after=max(after - 1, 0), **named)


class _LooseNewestFirst(MemoryBackend):
    def loose_blobs(self, limit: int) -> Sequence[Blob]:
        return super().loose_blobs(10**6)[::-1][:limit]


class _ReplacesTheDigest(MemoryBackend):
    def replace_blob(self, blob: Blob) -> None:
        with self.transaction():
            self._state.blobs[blob.id] = blob._replace(size=blob.size + 1)


class _EngineErrors(MemoryBackend):
    def add_blob(self, blob: Blob) -> int:
        try:
            return super().add_blob(blob)
        except Exception as error:
            raise sqlite3.IntegrityError(str(error)) from error


class _OneLine(MemoryBackend):
    def set_line(self, key: bytes, blob_id: int) -> None:
        super().set_line(b"", blob_id)

    def newest_in_line(self, key: bytes) -> int | None:
        return super().newest_in_line(b"")


BROKEN: list[tuple[type[MemoryBackend], str]] = [
    (_ReusesIds, "versions-ids_grow_past_deleted_ones"),
    (_LowersTheCounter, "versions-the_counter_can_be_raised_only"),
    (_ReadersTakeNoTurns, "transactions-blocks_of_threads_do_not_overlap"),
    (_KeepsFailedBlocks, "transactions-a_failed_block_leaves_nothing"),
    (_CommitsInnerBlocks, "transactions-nested_blocks_join"),
    (_LetsTwoWrite, "transactions-one_writer"),
    (_ShowsOpenBlocks, "transactions-a_reader_sees_whole_transactions"),
    (_LosesEverythingOnReopen, "durability-everything_is_there_after_reopening"),
    (_NoReferences, "versions-blobs_must_be_there"),
    (_OneMoreLink, "blobs-chain_of_a_hundred_links"),
    (_ChainOfOne, "blobs-chain_goes_to_the_first_that_is_no_delta"),
    (_FoldsCase, "versions-labels_are_compared_exactly"),
    (_CapturesTwice, "versions-captures_are_unique"),
    (_PageIncludesAfter, "pages-pages_meet"),
    (_LooseNewestFirst, "blobs-loose_blobs_lowest_first"),
    (_ReplacesTheDigest, "blobs-replace_changes_all_but_digest_and_size"),
    (_EngineErrors, "blobs-one_blob_per_digest"),
    (_OneLine, "blobs-line_names_its_newest"),
]


@pytest.mark.parametrize(("backend", "check"), BROKEN, ids=lambda x: getattr(x, "__name__", x))
def test_the_suite_names_the_promise_that_is_broken(
    backend: type[MemoryBackend], check: str
) -> None:
    report = conformance.run(backend, reopen=_reopen_memory)
    assert not report.ok
    assert check in [str(outcome.check) for outcome in report.failed]
    assert f"failed  {check}: " in str(report)


def test_readers_held_up_by_a_spilling_cache_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tuple(s for s in connection.SETTINGS if s is not connection.readers_not_held_up)
    monkeypatch.setattr(connection.open_file, "__kwdefaults__", _defaults(settings=kept))
    [check] = [c for c in conformance.CHECKS if c.name.endswith("by_a_large_transaction")]
    assert conformance.perform(check, _sqlite(tmp_path)).result == "failed"


def _defaults(**changed: object) -> dict[str, object]:
    defaults: Callable[..., Any] = connection.open_file
    return {**(defaults.__kwdefaults__ or {}), **changed}


def test_checks_without_their_capability_are_skipped_and_said_so() -> None:
    report = conformance.run(MemoryBackend)
    assert report.ok
    needing = {str(c) for c in conformance.CHECKS if c.needs}
    assert {str(outcome.check) for outcome in report.skipped} == needing
    assert all(outcome.reason for outcome in report.skipped)
    assert "the backend did not declare reopen" in str(report)


def test_every_check_has_a_promise_and_a_name_of_its_own() -> None:
    assert len({str(check) for check in conformance.CHECKS}) == len(conformance.CHECKS)
    assert all(check.promise.endswith(".") for check in conformance.CHECKS)
    assert {need for check in conformance.CHECKS for need in check.needs} == {REOPEN, FORK}


def test_the_suite_closes_what_it_opened() -> None:
    closed: list[MemoryBackend] = []

    class Counting(MemoryBackend):
        def close(self) -> None:
            closed.append(self)

    opened: list[MemoryBackend] = []

    def make() -> MemoryBackend:
        opened.append(Counting())
        return opened[-1]

    conformance.run(make)
    assert len(opened) > 40
    assert {id(each) for each in opened} == {id(each) for each in closed}
