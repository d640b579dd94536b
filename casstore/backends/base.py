"""The contract of a backend, in prose beside each method. `casstore.conformance` tests it.

A backend keeps rows and gives them back. It knows nothing of JSON, hashes or compression: digests
and data are bytes to it. What every backend owes:

- **Durable.** When the outermost ``transaction()`` block ends without an exception, everything
  done in it survives a crash of the process and of the machine. When it ends with an exception,
  nothing of it happened.
- **One writer.** A transaction excludes every other writer, in this process and in others, from
  its first line: what it reads is still true when it writes. A writer that cannot start within
  the backend's timeout gets `StoreBusy`.
- **Readers are not held up** by a reader, and by a writer only as long as its commit takes.
- **Ids only grow.** A version's id is larger than any id ever given before, also after the
  version with the largest id was deleted, unless the caller names the id.
- **References hold.** A blob that a version, a base reference or a line names cannot be removed,
<<<<<<< HEAD
  nor a version that is tagged or pinned.
=======
  and a reference to one that is not there raises `StorageFailed`, as does a second version of a
  capture.
>>>>>>> 57d13235ccac1885699e5964ba1e8af8aedc3d5c
- **Errors.** `StoreBusy`, `StorageFailed`, `Damaged`, `FormatNotSupported`, `NoStore`; never
  an exception of the engine's own.
- **Threads and forks.** One backend object may be used from several threads, which take turns:
  their blocks (``transaction()``, ``reading()``) do not overlap. In a forked child it opens its
  own connection, and no lock that another thread held stays taken.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from typing import NamedTuple, Protocol

    from casstore.records import Blob, Marks, SessionInfo, TagInfo, VersionRow
else:
    from casstore._namedtuple import NamedTuple

    Protocol = object


class BlobHeader(NamedTuple):
    """What choosing a base needs to know of a blob; its data stays where it is."""

    id: int
    digest: bytes
    size: int
    base: int | None
    depth: int
    position: int


class Counts(NamedTuple):
    """Totals over the whole store; bytes as in `casstore.records.StoreInfo`."""

    versions: int
    sessions: int
    blobs: int
    loose: int
    logical_bytes: int
    distinct_bytes: int
    stored_bytes: int
    file_bytes: int


class Backend(Protocol):
    """See the module's text for what holds for every method."""

    @property
    def location(self) -> str:
        """Where the store is, for messages: a path or an address without secrets."""

    @property
    def format(self) -> int:
        """The version of the stored format."""

    @property
    def engine(self) -> str:
        """Engine and version, for people: ``SQLite 3.51.3``."""

    @property
    def journal_mode(self) -> str:
        """How the engine makes commits durable, in its own word (``wal``, ``persist``)."""

    def transaction(self) -> AbstractContextManager[None]:
        """A write transaction. A nested block joins the outer one; inside `reading` none begins."""

    def reading(self) -> AbstractContextManager[None]:
        """One consistent view for several reads. Keep it short. Joins an open transaction."""

    def close(self) -> None:
        """Gives everything back. Closing twice is allowed; any other use afterwards is an error
        of the caller."""

    # Blobs

    def find_blob(self, digest: bytes) -> int | None:
        """The id of the blob with this digest."""

    def add_blob(self, blob: Blob) -> int:
        """Stores a blob whose ``id`` is 0 and gives its id. Raises `StorageFailed` where the
        digest is not new."""

    def replace_blob(self, blob: Blob) -> None:
        """Stores another form of the blob ``blob.id``: every field but ``digest`` and ``size``
        may differ."""

    def blob_header(self, blob_id: int) -> BlobHeader:
        """Raises `Damaged` where there is no such blob: the caller had a reference to it."""

    def chain(self, blob_id: int) -> Sequence[Blob]:
        """The blob, its base, the base's base …, up to and with the first that is no delta.
        Raises `Damaged` where a link is missing or the links exceed 100."""

    def loose_blobs(self, limit: int) -> Sequence[Blob]:
        """Up to ``limit`` loose blobs, lowest id first."""

    def newest_in_line(self, key: bytes) -> int | None:
        """The blob last set for this line of edits."""

    def set_line(self, key: bytes, blob_id: int) -> None:
        """Makes ``blob_id`` the newest of the line ``key`` (16 bytes)."""

    # Versions

    def add_version(self, row: VersionRow) -> int:
        """Stores a version and gives its id: ``row.id``, or the next one where that is 0.
        Raises `InvalidVersion` where the id is taken."""

    def update_version(self, row: VersionRow) -> None:
        """Stores new values for the version ``row.id``, which exists."""

    def delete_version(self, version_id: int) -> bool:
        """Removes a version with its note; False where there was none. Its blobs stay. Raises
        `StorageFailed` where it is tagged or pinned: the caller looks first."""

    def version(self, version_id: int) -> VersionRow | None:
        """The version with this id."""

    def latest(self, session: str | None) -> VersionRow | None:
        """The version of this session with the largest id."""

    def latest_of_path(self, path: str) -> VersionRow | None:
        """The version of this captured path with the largest id."""

    def version_of_capture(self, capture: str) -> VersionRow | None:
        """The version made from the capture of this name."""

    def versions(
        self,
        *,
        after: int = 0,
        limit: int = 1000,
        session: str | None = None,
        path: str | None = None,
        newest_first: bool = False,
    ) -> Sequence[VersionRow]:
        """A page of versions in the order of ids, beyond ``after`` in that order (0: from the
        start), of one session or one path where named."""

    # Finding versions

    def nth_latest(
        self,
        skip: int,
        *,
        session: str | None = None,
        path: str | None = None,
        up_to: int | None = None,
    ) -> VersionRow | None:
        """Of one session or one path (exactly one is named) the version with the largest id,
        ``skip`` of them passed over; ``up_to`` is the largest id to look at."""

    def latest_by(
        self, moment: int, *, session: str | None = None, path: str | None = None
    ) -> VersionRow | None:
        """Of one session or one path (exactly one is named) the version with the largest id whose
        ``created_at`` is not after ``moment`` (milliseconds since the epoch), as
        `casstore.clock.moment` reads it; a time that it cannot read counts as later."""

    def blobs_between(
        self, low: bytes, high: bytes, *, digests: bool = False, limit: int = 1000
    ) -> Sequence[tuple[int, bytes]]:
        """Id and content hash (or digest) of the blobs whose hash is from ``low`` to ``high``, both
        included, in the order of hashes."""

    def holders(
        self, blob_id: int, *, after: int = 0, limit: int = 1000, newest_first: bool = False
    ) -> Sequence[int]:
        """A page of the ids of versions that hold this blob as data, ui or source, each once;
        order and ``after`` as in `versions`."""

    def stored_sizes(self, blob_ids: Sequence[int]) -> dict[int, int]:
        """For each id the bytes of the blob's ``data``."""

    # What people put on versions

    def set_tag(self, name: str, version_id: int, created_at: str) -> None:
        """Gives an existing version a name; one that another version had moves."""

    def remove_tag(self, name: str) -> bool:
        """Takes a name away; False where there was none."""

    def tag(self, name: str) -> TagInfo | None:
        """The tag of this name."""

    def tags(self, *, after: str | None = None, limit: int = 1000) -> Sequence[TagInfo]:
        """A page of tags in the order of their names, by code point, beyond ``after``."""

    def set_pin(self, version_id: int, created_at: str) -> None:
        """Pins an existing version; one that is pinned stays as it is."""

    def remove_pin(self, version_id: int) -> bool:
        """Takes the pin away; False where there was none."""

    def set_note(self, version_id: int, note: str | None) -> None:
        """Gives an existing version this note instead of the one it had; None takes it away."""

    def marks(self, version_ids: Sequence[int]) -> dict[int, Marks]:
        """What is on these versions; those with nothing may be left out."""

    # Totals

    def blob_hashes(self, blob_ids: Sequence[int]) -> dict[int, tuple[bytes | None, int]]:
        """For each id the blob's content hash and payload size."""

    def sessions(self, *, after: str | None = None, limit: int = 1000) -> Sequence[SessionInfo]:
        """A page of sessions in the order of their labels, beyond ``after``."""

    def last_version_id(self) -> int:
        """The largest id ever given, 0 in a new store."""

    def set_last_version_id(self, version_id: int) -> None:
        """Raises the counter, for take-overs; never lowers it."""

    def counts(self) -> Counts:
        """Totals. Reads everything: for people, not for programs in a hurry."""
