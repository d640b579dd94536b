"""`MemoryBackend`: the contract of `casstore.backends.base` in plain dictionaries.

The shortest text that says what a backend does: a reference to read beside the contract, and a
store for tests that need no file. A transaction works on a copy of everything and puts it in
place at its end, so a reader never sees half of one. What it holds is gone with the process.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager

from casstore.backends.base import BlobHeader, Counts
from casstore.clock import moment as read_moment
from casstore.errors import Damaged, InvalidVersion, StorageFailed, StoreBusy, UsageError
from casstore.records import DELTA, LOOSE, Blob, Marks, SessionInfo, TagInfo, VersionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEFAULT_TIMEOUT = 5.0
"""Seconds a transaction waits for another one over the same `MemoryData`."""

_MAX_LINKS = 100


class _State:
    """Everything a store holds at one moment."""

    def __init__(self) -> None:
        self.blobs: dict[int, Blob] = {}
        self.ids: dict[bytes, int] = {}
        self.lines: dict[bytes, int] = {}
        self.versions: dict[int, VersionRow] = {}
        self.tags: dict[str, TagInfo] = {}
        self.pins: dict[int, str] = {}
        self.notes: dict[int, str] = {}
        self.last_version_id = 0

    def copy(self) -> _State:
        other = _State()
        other.blobs = dict(self.blobs)
        other.ids = dict(self.ids)
        other.lines = dict(self.lines)
        other.versions = dict(self.versions)
        other.tags, other.pins = dict(self.tags), dict(self.pins)
        other.notes = dict(self.notes)
        other.last_version_id = self.last_version_id
        return other


class MemoryData:
    """What a store holds, apart from the backends that are open on it: a second backend over
    the same data is what a second connection is to a file."""

    def __init__(self) -> None:
        self.committed = _State()
        self.writer = threading.Lock()


class MemoryBackend:
    """One store in memory. ``timeout``: seconds a transaction waits before `StoreBusy`."""

    location = "memory"
    format = 1
    engine = "memory"
    journal_mode = "none"

    def __init__(self, data: MemoryData | None = None, *, timeout: float = DEFAULT_TIMEOUT) -> None:
        self.data = MemoryData() if data is None else data
        self._timeout = timeout
        self._lock = threading.RLock()
        self._view: _State | None = None
        self._writing = False

    def close(self) -> None:
        """Nothing to give back: `data` lives as long as somebody names it."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            if self._writing:
                yield
                return
            if self._view is not None:
                raise UsageError("a transaction cannot begin inside a reading; begin it first")
            if not self.data.writer.acquire(timeout=self._timeout):
                raise StoreBusy("another transaction is open on the store in memory; try again")
            try:
                self._view = self.data.committed.copy()
                self._writing = True
                yield
                self.data.committed = self._view
            finally:
                self._view, self._writing = None, False
                self.data.writer.release()

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._lock:
            if self._view is not None:
                yield
                return
            self._view = self.data.committed
            try:
                yield
            finally:
                self._view = None

    @property
    def _state(self) -> _State:
        with self._lock:  # another thread's transaction is not this one's to see
            return self._view or self.data.committed

    # Blobs

    def find_blob(self, digest: bytes) -> int | None:
        return self._state.ids.get(digest)

    def add_blob(self, blob: Blob) -> int:
        with self.transaction():
            state = self._state
            if blob.digest in state.ids:
                raise StorageFailed("a blob with this digest is there already")
            self._must_hold(blob.base)
            added = blob._replace(id=max(state.blobs, default=0) + 1)
            state.blobs[added.id] = added
            state.ids[added.digest] = added.id
            return added.id

    def replace_blob(self, blob: Blob) -> None:
        with self.transaction():
            self._must_hold(blob.base)
            old = self._state.blobs[blob.id]
            self._state.blobs[blob.id] = blob._replace(digest=old.digest, size=old.size)

    def _must_hold(self, *blob_ids: int | None) -> None:
        for blob_id in blob_ids:
            if blob_id is not None and blob_id not in self._state.blobs:
                raise StorageFailed(f"there is no blob {blob_id} to refer to", blob=blob_id)

    def blob_header(self, blob_id: int) -> BlobHeader:
        blob = self._state.blobs.get(blob_id)
        if blob is None:
            raise Damaged(f"blob {blob_id} is missing from {self.location}", blob=blob_id)
        return BlobHeader(blob.id, blob.digest, blob.size, blob.base, blob.depth, blob.position)

    def chain(self, blob_id: int) -> Sequence[Blob]:
        blobs = self._state.blobs
        links: list[Blob] = []
        link: int | None = blob_id
        while link in blobs and len(links) <= _MAX_LINKS:
            links.append(blobs[link])
            if links[-1].encoding != DELTA:
                return links
            link = links[-1].base
        raise Damaged(
            f"the chain of blob {blob_id} in {self.location} does not end: "
            f"a base is missing or refers back",
            blob=blob_id,
        )

    def loose_blobs(self, limit: int) -> Sequence[Blob]:
        blobs = self._state.blobs
        return [blobs[i] for i in sorted(blobs) if blobs[i].encoding == LOOSE][:limit]

    def newest_in_line(self, key: bytes) -> int | None:
        return self._state.lines.get(key)

    def set_line(self, key: bytes, blob_id: int) -> None:
        with self.transaction():
            self._must_hold(blob_id)
            self._state.lines[key] = blob_id

    # Versions

    def add_version(self, row: VersionRow) -> int:
        with self.transaction():
            state = self._state
            if row.id in state.versions:
                raise InvalidVersion(f"version {row.id} exists already", version_id=row.id)
            added = row._replace(id=row.id or state.last_version_id + 1)
            self._put(added)
            state.last_version_id = max(state.last_version_id, added.id)
            return added.id

    def update_version(self, row: VersionRow) -> None:
        with self.transaction():
            self._put(row)

    def _put(self, row: VersionRow) -> None:
        self._must_hold(row.data, row.ui, row.source)
        if row.capture is not None:
            other = self.version_of_capture(row.capture)
            if other is not None and other.id != row.id:
                raise StorageFailed(f"version {other.id} has the capture {row.capture} already")
        self._state.versions[row.id] = row

    def delete_version(self, version_id: int) -> bool:
        with self.transaction():
            state = self._state
            tagged = any(tag.version_id == version_id for tag in state.tags.values())
            if tagged or version_id in state.pins:
                raise StorageFailed(f"version {version_id} is tagged or pinned")
            state.notes.pop(version_id, None)
            return state.versions.pop(version_id, None) is not None

    def version(self, version_id: int) -> VersionRow | None:
        return self._state.versions.get(version_id)

    def latest(self, session: str | None) -> VersionRow | None:
        return self._last([row for row in self._rows() if row.session == session])

    def latest_of_path(self, path: str) -> VersionRow | None:
        return self._last([row for row in self._rows() if row.path == path])

    def version_of_capture(self, capture: str) -> VersionRow | None:
        return self._last([row for row in self._rows() if row.capture == capture])

    def _rows(self) -> list[VersionRow]:
        versions = self._state.versions
        return [versions[i] for i in sorted(versions)]

    @staticmethod
    def _last(rows: Sequence[VersionRow]) -> VersionRow | None:
        return rows[-1] if rows else None

    def versions(
        self,
        *,
        after: int = 0,
        limit: int = 1000,
        session: str | None = None,
        path: str | None = None,
        newest_first: bool = False,
    ) -> Sequence[VersionRow]:
        rows = [
            row
            for row in self._rows()
            if (session is None or row.session == session)
            and (path is None or row.path == path)
            and (not after or (row.id < after if newest_first else row.id > after))
        ]
        return (rows[::-1] if newest_first else rows)[:limit]

    # Finding versions

    def nth_latest(
        self,
        skip: int,
        *,
        session: str | None = None,
        path: str | None = None,
        up_to: int | None = None,
    ) -> VersionRow | None:
        line = [row for row in self._line(session, path) if up_to is None or row.id <= up_to]
        return line[-1 - skip] if skip < len(line) else None

    def latest_by(
        self, moment: int, *, session: str | None = None, path: str | None = None
    ) -> VersionRow | None:
        times = [(row, read_moment(row.created_at)) for row in self._line(session, path)]
        return self._last([row for row, time in times if time is not None and time <= moment])

    def _line(self, session: str | None, path: str | None) -> list[VersionRow]:
        if session is not None:
            return [row for row in self._rows() if row.session == session]
        return [row for row in self._rows() if row.path == path]

    def blobs_between(
        self, low: bytes, high: bytes, *, digests: bool = False, limit: int = 1000
    ) -> Sequence[tuple[int, bytes]]:
        blobs = self._state.blobs.values()
        found = [
            (hash, blob.id)
            for blob in blobs
            if (hash := blob.digest if digests else blob.content_hash) and low <= hash <= high
        ]
        return [(blob_id, hash) for hash, blob_id in sorted(found)][:limit]

    def holders(
        self, blob_id: int, *, after: int = 0, limit: int = 1000, newest_first: bool = False
    ) -> Sequence[int]:
        rows = self.versions(after=after, limit=len(self._rows()), newest_first=newest_first)
        return [row.id for row in rows if blob_id in (row.data, row.ui, row.source)][:limit]

    def stored_sizes(self, blob_ids: Sequence[int]) -> dict[int, int]:
        blobs = self._state.blobs
        return {i: len(blobs[i].data) for i in blob_ids if i in blobs}

    # What people put on versions

    def set_tag(self, name: str, version_id: int, created_at: str) -> None:
        with self.transaction():
            self._must_have(version_id)
            self._state.tags[name] = TagInfo(name, version_id, created_at)

    def remove_tag(self, name: str) -> bool:
        with self.transaction():
            return self._state.tags.pop(name, None) is not None

    def tag(self, name: str) -> TagInfo | None:
        return self._state.tags.get(name)

    def tags(self, *, after: str | None = None, limit: int = 1000) -> Sequence[TagInfo]:
        tags = self._state.tags
        return [tags[name] for name in sorted(tags) if after is None or name > after][:limit]

    def set_pin(self, version_id: int, created_at: str) -> None:
        with self.transaction():
            self._must_have(version_id)
            self._state.pins.setdefault(version_id, created_at)

    def remove_pin(self, version_id: int) -> bool:
        with self.transaction():
            return self._state.pins.pop(version_id, None) is not None

    def set_note(self, version_id: int, note: str | None) -> None:
        with self.transaction():
            self._must_have(version_id)
            if note is None:
                self._state.notes.pop(version_id, None)
            else:
                self._state.notes[version_id] = note

    def _must_have(self, version_id: int) -> None:
        if version_id not in self._state.versions:
            raise StorageFailed(f"there is no version {version_id} to refer to")

    def marks(self, version_ids: Sequence[int]) -> dict[int, Marks]:
        state = self._state
        return {
            version: Marks(
                tuple(sorted(tag.name for tag in state.tags.values() if tag.version_id == version)),
                version in state.pins,
                state.notes.get(version),
            )
            for version in version_ids
        }

    # Totals

    def blob_hashes(self, blob_ids: Sequence[int]) -> dict[int, tuple[bytes | None, int]]:
        blobs = self._state.blobs
        return {i: (blobs[i].content_hash, blobs[i].size) for i in blob_ids if i in blobs}

    def sessions(self, *, after: str | None = None, limit: int = 1000) -> Sequence[SessionInfo]:
        by_label: dict[str, list[VersionRow]] = {}
        for row in self._rows():
            if row.session is not None and (after is None or row.session > after):
                by_label.setdefault(row.session, []).append(row)
        return [
            SessionInfo(
                label,
                len(rows),
                rows[0].id,
                rows[-1].id,
                rows[0].created_at,
                rows[-1].created_at,
            )
            for label, rows in sorted(by_label.items())
        ][:limit]

    def last_version_id(self) -> int:
        return self._state.last_version_id

    def set_last_version_id(self, version_id: int) -> None:
        with self.transaction():
            self._state.last_version_id = max(self._state.last_version_id, version_id)

    def counts(self) -> Counts:
        state = self._state
        rows, blobs = state.versions.values(), state.blobs.values()
        stored = sum(len(blob.data) for blob in blobs)
        return Counts(
            versions=len(rows),
            sessions=len({row.session for row in rows} - {None}),
            blobs=len(blobs),
            loose=sum(blob.encoding == LOOSE for blob in blobs),
            logical_bytes=sum(
                state.blobs[i].size for row in rows for i in (row.data, row.ui) if i is not None
            ),
            distinct_bytes=sum(blob.size for blob in blobs),
            stored_bytes=stored,
            file_bytes=stored,
        )
