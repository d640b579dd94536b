"""Blobs and versions to hand to a backend. Nothing in them means anything to it."""

from __future__ import annotations

from casstore.digests import sha256
from casstore.records import DELTA, JSON, LOOSE, WHOLE, Blob, VersionRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.backends.base import Backend

FIRST_TIME = "2026-01-31T12:00:00.000+00:00"


def blob(name: str, base: int | None = None, encoding: int | None = None) -> Blob:
    """A blob that is told from others by ``name``; a delta where a base is given."""
    if encoding is None:
        encoding = WHOLE if base is None else DELTA
    return Blob(
        id=0,
        digest=sha256(name.encode()),
        content_hash=sha256(b"canonical " + name.encode()),
        size=1000 + len(name),
        codec=JSON,
        encoding=encoding,
        base=base,
        depth=0 if base is None else 1,
        position=7,
        data=b"\x00\xff data of " + name.encode(),
    )


def loose(name: str, base: int | None = None) -> Blob:
    """A blob as a loose save makes it: no content hash yet, the payload as it is."""
    made = blob(name, base, LOOSE)
    return made._replace(content_hash=None, size=len(made.data))


def row(
    session: str | None = "session",
    data: int | None = None,
    ui: int | None = None,
    source: int | None = None,
    *,
    id: int = 0,
    attributes: str | None = None,
    created_at: str | None = FIRST_TIME,
    path: str | None = None,
    capture: str | None = None,
) -> VersionRow:
    """A version's row; what is not named is empty."""
    return VersionRow(id, session, data, ui, source, attributes, created_at, path, capture)


def add(backend: Backend, *rows: VersionRow) -> list[int]:
    """Adds versions, each in a transaction of its own, and gives their ids."""
    ids = []
    for each in rows:
        with backend.transaction():
            ids.append(backend.add_version(each))
    return ids


def add_blob(backend: Backend, each: Blob) -> int:
    """Adds one blob in a transaction of its own and gives its id."""
    with backend.transaction():
        return backend.add_blob(each)
