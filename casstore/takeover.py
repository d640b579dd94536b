"""Brings plain ``workflow_version`` tables into stores: every row, compared with its original.

`take_over` turns a file into a store in place; `migrate` copies a file that stays as it is into
another store. Either happens as a whole or not at all. ``docs/migrating.md`` is the long form.
"""

from __future__ import annotations

import os
import time
from array import array

from casstore.backends.sqlite import plain, schema
from casstore.backends.sqlite.backend import DEFAULT_TIMEOUT, SqliteBackend
from casstore.backends.sqlite.plain import NotTakenOver, PlainRow
from casstore.backends.sqlite.upgrade import Upgrade
from casstore.digests import sha256
from casstore.errors import Damaged, InvalidDocument, InvalidSession, NoStore, UsageError
from casstore.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import NamedTuple

    from casstore.backends.base import Backend
    from casstore.backends.sqlite.plain import PlainTable

    Progress = Callable[[int, int], None]
    """Called with the rows done and the rows there are: four times a second at most, and at the
    end."""
else:
    from casstore._namedtuple import NamedTuple

_PAUSE = 0.25  # seconds between two calls of a Progress


class TakenOver(NamedTuple):
    """What `take_over` did to a file."""

    location: str
    versions: int
    """Rows taken over; 0 where the file was a store by the time it could be locked."""
    backup: str | None
    """Path of the copy of the file as it was; None where nothing was to do."""
    retyped: int
    """Values that were numbers or BLOBs and are text of the same content now."""
    left_out: tuple[str, ...]
    """What of the plain table went with it: its indexes and triggers, columns that were empty or
    computed (``index ix_session``, ``column note``)."""
    bytes_before: int
    bytes_after: int
    """Size of the file. Larger than before where its free pages could not be given back yet."""


class Migrated(NamedTuple):
    """What `migrate` did."""

    source: str
    destination: str
    versions: int
    """Rows copied."""
    present: int
    """Rows that the destination held already, from an earlier run."""
    renumbered: tuple[tuple[int, int], ...]
    """(id in the source, id in the destination) of the copied rows whose id was taken."""
    retyped: int
    """As in `TakenOver`."""
    left_out: tuple[str, ...]
    """Columns of the source that a store does not keep (``column note``)."""


def take_over(
    path: str | os.PathLike[str],
    *,
    timeout: float = DEFAULT_TIMEOUT,
    progress: Progress | None = None,
) -> TakenOver:
    """Makes a store of the plain SQLite file at ``path``, which keeps ids, order, times, texts
    and the AUTOINCREMENT counter. A copy of the file as it was stays beside it.

    ``timeout``: seconds to wait for other programs that use the file. Raises `NotTakenOver` for
    what a store cannot hold, `NoStore`, `StoreBusy`, `StorageFailed`; the file is then as it was.
    Does nothing where the file is a store already.
    """
    where = os.path.abspath(path)
    if not os.path.exists(where):
        raise NoStore(f"there is no file {where} to take over", path=where)
    with Upgrade(where, timeout=timeout) as upgrade:
        before = os.path.getsize(where)
        if upgrade.kind == schema.STORE:
            return TakenOver(where, 0, None, 0, (), before, before)
        if upgrade.kind == schema.EMPTY:
            raise NotTakenOver(f"{where} is empty; the first save makes a store", path=where)
        table = upgrade.table()
        counter = table.counter()
        meter = _Meter(table.count(), progress)
        upgrade.back_up()
        left_out = (*upgrade.move_away(table), *_columns(table))
        copier = _Copier(upgrade.backend(), where)
        for row in meter.half(table.rows()):
            copier.copy(row, row.id)
        copier.compare(meter.half(table.rows()))
        upgrade.backend().set_last_version_id(counter)
        backup = upgrade.commit()
        upgrade.shrink()
    meter.finish()
    return TakenOver(
        where,
        len(copier.originals),
        backup,
        copier.retyped,
        left_out,
        before,
        os.path.getsize(where),
    )


def migrate(
    source: str | os.PathLike[str],
    destination: str | os.PathLike[str],
    *,
    timeout: float = DEFAULT_TIMEOUT,
    progress: Progress | None = None,
) -> Migrated:
    """Copies the plain table of ``source``, which is opened read-only, into the store at
    ``destination``, which is made or taken over as by `casstore.open_store`.

    A row keeps its id where that is larger than every id the destination has given; another gets
    the next id, in the order of the source. A row that an earlier run copied is not copied again.
    Raises as `take_over`; the destination is then as it was.
    """
    origin, where = os.path.abspath(source), os.path.abspath(destination)
    if os.path.exists(origin) and os.path.exists(where) and os.path.samefile(origin, where):
        raise UsageError(
            f"source and destination are the same file, {where}; leave the destination out to "
            f"take it over in place"
        )
    with plain.reading(origin, timeout=timeout) as table:
        from casstore.opening import open_store

        open_store(where, timeout=timeout, progress=progress).close()
        backend = SqliteBackend(where, timeout=timeout)
        try:
            return _migrate(table, backend, progress)
        finally:
            backend.close()


def _migrate(table: PlainTable, backend: SqliteBackend, progress: Progress | None) -> Migrated:
    meter = _Meter(table.count(), progress)
    copier = _Copier(backend, table.path)
    present = 0
    with backend.transaction():
        was_empty = not backend.last_version_id()
        for row in meter.half(table.rows()):
            if not was_empty and copier.has(row):
                present += 1
            else:
                copier.copy_into_store(row)
        copier.compare(meter.half(table.rows()))
        if was_empty:
            backend.set_last_version_id(table.counter())
    meter.finish()
    return Migrated(
        table.path,
        backend.location,
        len(copier.originals),
        present,
        copier.renumbered(),
        copier.retyped,
        _columns(table),
    )


class _Copier:
    """Copies rows into a store over one backend, inside a transaction of the caller's."""

    def __init__(self, backend: Backend, source: str) -> None:
        self._backend = backend
        self._store = Store(backend)
        self._source = source
        self.originals = array("q")
        """Ids of the copied rows; 16 bytes a row with `copies`, all that memory grows by."""
        self.copies = array("q")
        self.retyped = 0

    def copy(self, row: PlainRow, version_id: int) -> int:
        """Saves a row under this id (0: the next) and returns the id."""
        try:
            made = self._store.save_texts(
                row.session_id,
                row.workflow_data,
                row.workflow_data_ui,
                row.attributes,
                row.created_at,
                version_id=version_id,
                any_text=True,
            )
        except (InvalidDocument, InvalidSession) as error:
            raise NotTakenOver(
                f"row {row.id} of {self._source} cannot be kept: {error.message}",
                **{**error.details, "path": self._source, "row": row.id},
            ) from None
        self.originals.append(row.id)
        self.copies.append(made)
        self.retyped += row.retyped
        return made

    def copy_into_store(self, row: PlainRow) -> None:
        """The same into a store with versions of its own. A row that gets another id is marked,
        so that `has` knows it again."""
        keeps = row.id > self._backend.last_version_id()
        made = self.copy(row, row.id if keeps else 0)
        if not keeps:
            version = self._store.row(made)
            self._backend.update_version(version._replace(capture=_mark(row)))

    def has(self, row: PlainRow) -> bool:
        """True where the store holds this row: marked, or equal under the same id."""
        if self._backend.version_of_capture(_mark(row)) is not None:
            return True
        return self._backend.version(row.id) is not None and _equal(self._store, row, row.id)

    def compare(self, rows: Iterable[PlainRow]) -> None:
        """Reads every copied version back from the database and compares all columns.

        Raises `Damaged` where one differs from its row.
        """
        fresh = Store(self._backend)  # the other one has payloads in memory
        at = 0
        for row in rows:
            if at < len(self.originals) and self.originals[at] == row.id:
                if not _equal(fresh, row, self.copies[at]):
                    raise Damaged(
                        f"row {row.id} of {self._source} does not read back as it was; nothing "
                        f"was changed",
                        row=row.id,
                    )
                at += 1
        if at != len(self.originals):
            raise Damaged(f"only {at} rows of {self._source} read back; nothing was changed")

    def renumbered(self) -> tuple[tuple[int, int], ...]:
        pairs = zip(self.originals, self.copies, strict=True)
        return tuple((old, new) for old, new in pairs if old != new)


def _equal(store: Store, row: PlainRow, version_id: int) -> bool:
    kept, *payloads = store.restore_texts(version_id)
    data, ui = (payload and payload[0] for payload in payloads)
    return (kept.session, data, ui, kept.attributes, kept.created_at) == row[1:6]


def _mark(row: PlainRow) -> str:
    """Names a row with its contents: ``plain:<id>:<32 hexadecimal digits>``."""
    texts = (text.encode() if isinstance(text, str) else text for text in row[1:6])
    parts = (b"-" if text is None else b"%d:%s" % (len(text), text) for text in texts)
    return f"plain:{row.id}:{sha256(b''.join(parts)).hex()[:32]}"


def _columns(table: PlainTable) -> tuple[str, ...]:
    return tuple(f"column {name}" for name in (*table.extra, *table.computed))


class _Meter:
    """Tells a `Progress` how far two passes over the rows are, each half of the work."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._progress = progress
        self._halves = 0
        self._next = time.monotonic() + _PAUSE

    def half(self, rows: Iterable[PlainRow]) -> Iterator[PlainRow]:
        for row in rows:
            yield row
            self._halves += 1
            if self._progress is not None and time.monotonic() >= self._next:
                self._progress(self._halves // 2, self._total)
                self._next = time.monotonic() + _PAUSE

    def finish(self) -> None:
        if self._progress is not None:
            self._progress(self._total, self._total)
