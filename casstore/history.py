"""Tells the history of a store: per version what changed since the one before it, when, by which
tool, and what it costs.

The version before is that of the same file where one was captured, else of the same session.
"""

from __future__ import annotations

from casstore import comparing, documents
from casstore.clock import moment
from casstore.digests import sha256
from casstore.errors import CasstoreError, Damaged
from casstore.formats import API, UI, WRAPPED, workflow_format
from casstore.store import attributes_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, NamedTuple

    from casstore.records import Marks, VersionRow
    from casstore.store import Store
else:
    from casstore._namedtuple import NamedTuple

ABSENT, TEXT, BINARY = "absent", "text", "binary"


class Entry(NamedTuple):
    """One version of a history."""

    row: VersionRow
    change: str
    """In a few words; may hold any characters of names in the documents."""
    damaged: bool
    """True where the documents cannot be read, so that `change` says why."""
    previous: int | None
    """The version that `change` compares with."""
    tool: str
    """The tool of the agent whose action was about to happen, or what else saved it."""
    stored_bytes: int
    """Of the blobs that came with this version."""
    marks: Marks

    @property
    def time(self) -> int | None:
        """Milliseconds since the epoch."""
        return moment(self.row.created_at)


class _State(NamedTuple):
    """What a version holds, told apart as people would."""

    kind: str
    """``absent``, ``text``, ``binary`` or a document's format."""
    value: Any
    size: int


class History:
    """Describes versions of one store; changes in at most ``width`` characters, where given."""

    def __init__(self, store: Store, *, width: int | None = None) -> None:
        self._width = width
        self._store = store
        self._identities: dict[int, bytes] = {}

    def entries(self, rows: Iterable[VersionRow]) -> Iterator[Entry]:
        """An entry for each row, one at a time."""
        for row in rows:
            yield self.entry(row)

    def entry(self, row: VersionRow) -> Entry:
        """Reads up to four documents."""
        before = self.previous(row)
        damaged = False
        try:
            change = self._first(row) if before is None else self._change(before, row)
        except Damaged as error:
            change, damaged = f"cannot be compared: {error.message}", True
        return Entry(
            row,
            change,
            damaged,
            None if before is None else before.id,
            tool_of(row),
            self._store.own_bytes(row),
            self._store.marks([row.id])[row.id],
        )

    def previous(self, row: VersionRow) -> VersionRow | None:
        """The version before, of the same file, else of the same session."""
        if row.path is not None:
            return self._store.nth_latest(0, path=row.path, up_to=row.id - 1)
        if row.session is not None:
            return self._store.nth_latest(0, session=row.session, up_to=row.id - 1)
        return None

    def changed(self, rows: Iterable[VersionRow]) -> Iterator[VersionRow]:
        """The rows whose graph differs from that of the version before in more than looks."""
        for row in rows:
            before = self.previous(row)
            if before is None:
                yield row
                continue
            if _holds(before) == _holds(row):
                continue
            try:
                same = self._identity(before) == self._identity(row)
            except Damaged:
                same = False
            if not same:
                yield row

    def _identity(self, row: VersionRow) -> bytes:
        """Of a version's documents; for a file that holds none, of its bytes."""
        if self._kind(row) in (ABSENT, TEXT, BINARY):
            return sha256(b"" if row.source is None else self._store.payload_of(row.source)[0])
        parts = [row.data, row.ui if row.ui != row.data else None]
        made = b""
        for blob in parts:
            if blob is None:
                made += b"-"
                continue
            if blob not in self._identities:
                if len(self._identities) > 10_000:
                    self._identities.clear()
                self._identities[blob] = comparing.identity(self._value(blob)[0])
            made += self._identities[blob]
        return made

    def _change(self, before: VersionRow, row: VersionRow) -> str:
        if _holds(before) == _holds(row) and self._kind(before) == self._kind(row):
            return "no changes"
        kinds = self._kind(before), self._kind(row)
        if ABSENT in kinds or TEXT in kinds or BINARY in kinds:
            return _kinds_change(self._state(before), self._state(row))
        if before.data == row.data and before.ui is not None and row.ui is not None:
            if before.ui == row.ui:
                return "no changes but blanks in the file"
            return self._summary(before.ui, row.ui)
        change = self._summary(before.data, row.data)
        if (before.ui is None) != (row.ui is None) and before.ui != before.data:
            change += "; UI half " + ("added" if before.ui is None else "left out")
        return change

    def _summary(self, before: int | None, after: int | None) -> str:
        return comparing.summary(self._value(before)[0], self._value(after)[0], self._width)

    def _first(self, row: VersionRow) -> str:
        state = self._state(row)
        if state.kind == ABSENT:
            return "the file does not exist yet"
        if state.kind in (TEXT, BINARY):
            return f"first version: {state.kind}, {state.size:,} bytes"
        number = _nodes(state.value)
        if number is None:
            return "first version"
        return f"first version: {number:,} node{'' if number == 1 else 's'}"

    def _kind(self, row: VersionRow) -> str:
        attributes = attributes_value(row.attributes)
        kind = attributes.get("format") if isinstance(attributes, dict) else None
        # a version saved as values may have an attribute of that name as well
        if kind in (ABSENT, TEXT, BINARY) and (row.source is None) == (kind == ABSENT):
            return str(kind)
        return "document"

    def _state(self, row: VersionRow) -> _State:
        kind = self._kind(row)
        if kind == ABSENT:
            return _State(kind, None, 0)
        if kind in (TEXT, BINARY):
            return _State(kind, None, len(self._store.payload_of(row.source or 0)[0]))
        blob = row.data if row.data is not None else row.ui
        value, size = self._value(blob)
        return _State(kind, value, size)

    def _value(self, blob: int | None) -> tuple[Any, int]:
        if blob is None:
            return None, 0
        payload, codec = self._store.payload_of(blob)
        try:
            return documents.value_of(payload, codec), len(payload)
        except Damaged:
            raise
        except CasstoreError:  # taken over as it was
            return payload.decode("utf-8", "surrogateescape"), len(payload)


def tool_of(row: VersionRow) -> str:
    """The tool's name, what else is named as the source, or ``save``."""
    attributes = attributes_value(row.attributes)
    if isinstance(attributes, dict):
        for key in ("tool_name", "source"):
            found = attributes.get(key)
            if isinstance(found, str) and found:
                return found
    return "save"


def _holds(row: VersionRow) -> tuple[int | None, int | None, int | None]:
    return row.data, row.ui, row.source


def _kinds_change(before: _State, after: _State) -> str:
    if after.kind == ABSENT:
        return "no changes" if before.kind == ABSENT else "the file is gone"
    if before.kind == ABSENT:
        return "the file is there"
    if before.kind == after.kind:
        return f"{after.kind} changed, {before.size:,} to {after.size:,} bytes"
    if after.kind in (TEXT, BINARY):
        return f"no longer JSON: {after.kind}, {after.size:,} bytes"
    number = _nodes(after.value)
    return "JSON again" if number is None else f"JSON again: {number:,} nodes"


def _nodes(value: Any) -> int | None:
    """How many nodes a workflow has; None where it is none."""
    kind = workflow_format(value)
    if kind == UI:
        return len(value["nodes"])
    if kind == API:
        return len(value)
    return len(value["prompt"]) if kind == WRAPPED else None
