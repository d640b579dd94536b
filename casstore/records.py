"""The plain records that travel between layers: what a store holds and what it answers.

All are immutable. Ids are positive integers; sizes are bytes; hashes are raw 32-byte SHA-256
inside (`Blob`, `Document`) and lower-case hexadecimal text in what people see.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple
else:
    from casstore._namedtuple import NamedTuple

# How a payload is read back. Stored in every store: numbers are never reused.
JSON = 1  # orjson reads it exactly
EXACT_JSON = 2  # JSON that only the exact reader reads without a change
TEXT = 3  # UTF-8 text that is not JSON, or JSON with duplicate keys; handed back as text
BINARY = 4  # any other bytes

# How a blob's data holds its payload. Stored in every store as well.
LOOSE = 0  # the payload as it is, waiting to be packed
WHOLE = 1  # one zstd frame
DELTA = 2  # one zstd frame with the base's payload as raw-content dictionary


class Document(NamedTuple):
    """One JSON value made ready to store."""

    payload: bytes
    codec: int
    digest: bytes
    """SHA-256 of ``payload``."""
    content_hash: bytes | None
    """SHA-256 of the canonical form; None where the payload is no JSON or is not yet packed."""


class Blob(NamedTuple):
    """One stored payload. ``id`` is 0 before the backend has given one."""

    id: int
    digest: bytes
    content_hash: bytes | None
    size: int
    """Bytes of the payload, not of ``data``."""
    codec: int
    encoding: int
    base: int | None
    """The blob this one is (or, while loose, will be) a delta against."""
    depth: int
    """At most so many other blobs are decoded to rebuild this one."""
    position: int
    """Ordinal in its line of edits; decides which ancestor the next delta is made against."""
    data: bytes


class VersionRow(NamedTuple):
    """One save as the backend keeps it: references, no documents. ``id`` is 0 before it has one."""

    id: int
    session: str | None
    data: int | None
    """Blob of ``workflow_data``; None is SQL NULL."""
    ui: int | None
    """Blob of ``workflow_data_ui``; None is SQL NULL."""
    source: int | None
    """Blob of the exact file bytes, where a file was captured."""
    attributes: str | None
    """Exact JSON text; None is SQL NULL."""
    created_at: str | None
    path: str | None = None
    """The captured file, relative to the project root, with forward slashes."""
    capture: str | None = None
    """Unique name of the capture that made this version; a second delivery changes nothing."""


class SavedVersion(NamedTuple):
    """What a save answers."""

    version_id: int
    created_at: str
    """ISO 8601 in UTC with milliseconds, such as ``2026-01-31T12:00:00.000+00:00``."""
    content_hash: str | None
    """SHA-256 (hexadecimal) of the canonical form of ``workflow_data``; None where the document
    has none: not yet packed, or text that is no JSON."""
    deduplicated: bool
    """True where every document of the version was already stored."""


class Version(NamedTuple):
    """A version with its documents: the documented row as Python values."""

    version_id: int
    session_id: str | None
    workflow_data: Any
    workflow_data_ui: Any
    attributes: Any
    created_at: str | None

    def as_dict(self) -> dict[str, Any]:
        """The row as a dictionary, in the documented key order."""
        return dict(zip(self._fields, self, strict=True))


class VersionInfo(NamedTuple):
    """A version without its documents: what a list shows."""

    version_id: int
    session_id: str | None
    created_at: str | None
    content_hash: str | None
    ui_content_hash: str | None
    size: int
    """Bytes of both payloads."""
    attributes: Any
    path: str | None


class SessionInfo(NamedTuple):
    """One session: how many versions, and the span of their ids and times."""

    session_id: str | None
    versions: int
    first_version: int
    last_version: int
    first_created_at: str | None
    last_created_at: str | None


class TagInfo(NamedTuple):
    """A tag: a name that people gave a version."""

    name: str
    version_id: int
    created_at: str
    """When the tag was set."""


class Marks(NamedTuple):
    """What people put on one version."""

    tags: tuple[str, ...] = ()
    """In the order of names."""
    pinned: bool = False
    note: str | None = None


class StoreInfo(NamedTuple):
    """Counts and bytes of a store as it stands."""

    location: str
    format: int
    versions: int
    sessions: int
    blobs: int
    loose: int
    logical_bytes: int
    """Payload bytes of all documents, each version counted: what a plain table would hold."""
    distinct_bytes: int
    """Payload bytes of all blobs."""
    stored_bytes: int
    """Bytes of all blobs' data."""
    file_bytes: int
    journal_mode: str
    engine: str
