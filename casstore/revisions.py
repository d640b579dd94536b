"""One way to name a version, everywhere: what a person writes becomes the one version meant.

    42                              the version with this id
    SESSION  PATH                   the latest of a session, or of a captured file
    TAG                             the version with this tag
    3fa94c  (6 or more digits)      the newest version whose workflow has this content hash
    REV~  REV~2                     one, two before it in its session (of a PATH: of the file)
    SESSION@{10 minutes ago}        the latest at that time; PATH@{…} likewise
    id: session: path: tag: hash:   in front says which is meant

What fits two versions is refused, and the error lists them in the form that is unambiguous. A name
is also tried as it stands, so that a session called ``a~2`` is found. A number is an id first, and
a hash only where no version has that id.
"""

from __future__ import annotations

from casstore.errors import NotFound, SessionNotFound, TagNotFound, UsageError, VersionNotFound
from casstore.store import MAX_VERSION_ID
from casstore.when import when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NamedTuple

    from casstore.records import VersionRow
    from casstore.store import Store

    _Named = tuple[VersionRow, str]
    """A version and the name that was looked up."""
else:
    from casstore._namedtuple import NamedTuple

ID, SESSION, PATH, TAG, HASH = "id", "session", "path", "tag", "hash"
KINDS = (ID, SESSION, PATH, TAG, HASH)

MIN_HASH = 6
_MAX_BACK = 10**9
_MAX_TEXT = 10_000
_SHOWN = 10
_HEX = frozenset("0123456789abcdef")


class InvalidRevision(UsageError):
    """A text that cannot name a version, whatever the store holds."""

    code = "invalid_revision"


class AmbiguousRevision(UsageError):
    """A text that names several versions (``details``: ``candidates``, each with an unambiguous
    ``revision``)."""

    code = "ambiguous_revision"


class RevisionNotFound(NotFound):
    """Nothing in the store has this name."""

    code = "revision_not_found"


class Revision(NamedTuple):
    """One reading of a text."""

    kind: str | None
    """One of `KINDS`, or None where the text does not say."""
    name: str
    at: str | None = None
    """The time in ``@{…}``, as written."""
    back: int = 0
    """How many versions to go back."""

    def text(self, kind: str, version_id: int) -> str:
        """How to write it so that it has one reading. ``~0`` ends a name that has such marks
        itself; where they are marks here, only the id has one."""
        if self.at is not None or self.back:
            return f"{ID}:{version_id}"
        marks = "" if _split(self.name) == (self.name, None, 0) else "~0"
        return f"{kind}:{self.name}{marks}"


class Found(NamedTuple):
    """A version that a text names."""

    row: VersionRow
    kind: str
    revision: str
    """The unambiguous form."""


def parse(text: str) -> list[Revision]:
    """The readings of a text, the one with ``~`` and ``@{}`` taken as such first. Raises
    `InvalidRevision`."""
    if not text or "\x00" in text or len(text) > _MAX_TEXT:
        what = "is empty" if not text else "holds a NUL character" if "\x00" in text else "too long"
        raise InvalidRevision(f"a revision that {what} names no version", revision=text[:80])
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidRevision("a revision with a lone surrogate names no version") from None
    kind: str | None = None
    rest = text
    for each in KINDS:
        if text.startswith(f"{each}:") and len(text) > len(each) + 1:
            kind, rest = each, text[len(each) + 1 :]
    name, at, back = _split(rest)
    readings = [Revision(kind, name, at, back)] if name else []
    for other in (Revision(kind, rest), Revision(None, text)):
        if other not in readings:
            readings.append(other)
    return readings


def _split(text: str) -> tuple[str, str | None, int]:
    """A name, the time in ``@{…}`` and the number after ``~``."""
    name, back, at = text, 0, None
    head, mark, digits = text.rpartition("~")
    if mark and (not digits or (digits.isascii() and digits.isdigit() and len(digits) <= 10)):
        name, back = head, int(digits or "1")
        if back > _MAX_BACK:
            raise InvalidRevision(f"{text!r} goes back by more than {_MAX_BACK:,} versions")
    if name.endswith("}") and "@{" in name:
        name, _, inner = name[:-1].rpartition("@{")
        at = inner
    return name, at, back


def resolve(
    store: Store,
    text: str,
    *,
    now: int,
    path_of: Callable[[str], str | None] | None = None,
) -> Found:
    """The one version that a text names.

    ``now`` (milliseconds since the epoch) is what ``ago`` counts from. ``path_of`` gives the path
    in the project of a file as the caller's user would write it, or None. Raises
    `InvalidRevision`, `AmbiguousRevision`, `casstore.when.InvalidTime`, and a `NotFound` of the
    kind that was named.
    """
    readings = parse(text)
    resolver = _Resolver(store, now, path_of)
    found: dict[int, Found] = {}
    for reading in readings:
        for each in resolver.all(reading):
            found.setdefault(each.row.id, each)
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise _ambiguous(text, list(found.values()))
    if resolver.problem is not None:
        raise resolver.problem
    raise _not_found(store, text, readings[0])


class _Resolver:
    """Looks up readings, and remembers the most helpful reason why one found nothing."""

    def __init__(self, store: Store, now: int, path_of: Callable[[str], str | None] | None) -> None:
        self._store = store
        self._now = now
        self._path_of = path_of
        self.problem: Exception | None = None

    def all(self, reading: Revision) -> Iterator[Found]:
        kinds = KINDS if reading.kind is None else (reading.kind,)
        found_id = False
        for kind in kinds:
            if kind == HASH and found_id:
                continue
            for row, name in getattr(self, f"_{kind}")(reading):
                found_id = found_id or kind == ID
                yield Found(row, kind, reading._replace(name=name).text(kind, row.id))

    def _id(self, reading: Revision) -> Iterator[_Named]:
        name = reading.name
        if not (name.isascii() and name.isdigit() and len(name) < 20) or reading.at is not None:
            return
        number = int(name)
        if 0 < number <= MAX_VERSION_ID:
            try:
                row = self._store.row(number)
            except VersionNotFound as error:
                self.problem = error
                return
            for back in self._back(row, reading):
                yield back, reading.name

    def _tag(self, reading: Revision) -> Iterator[_Named]:
        tag = self._store.find_tag(reading.name) if reading.at is None else None
        if tag is not None:
            for back in self._back(self._store.row(tag.version_id), reading):
                yield back, reading.name

    def _hash(self, reading: Revision) -> Iterator[_Named]:
        prefix = reading.name.lower()
        if not MIN_HASH <= len(prefix) <= 64 or not _HEX.issuperset(prefix):
            return
        if reading.at is not None:
            return
        low, high = hash_range(prefix)
        found = self._store.holding(low, high)
        digits = _digits_apart(found)
        for content, version in found.items():
            for row in self._back(self._store.row(version), reading):
                yield row, content.hex()[:digits]

    def _session(self, reading: Revision) -> Iterator[_Named]:
        for row in self._of_line(reading, session=reading.name):
            yield row, reading.name

    def _path(self, reading: Revision) -> Iterator[_Named]:
        names = [reading.name.replace("\\", "/").removeprefix("./")]
        if self._path_of is not None:
            there = self._path_of(reading.name)
            if there is not None and there not in names:
                names.append(there)
        for name in names:
            found = list(self._of_line(reading, path=name))
            for row in found:
                yield row, name
            if found:
                return

    def _of_line(
        self, reading: Revision, session: str | None = None, path: str | None = None
    ) -> Iterator[VersionRow]:
        """By time, by count, or the latest of a session or file."""
        latest = self._store.nth_latest(0, session=session, path=path)
        if latest is None:
            return
        row: VersionRow | None = latest
        if reading.at is not None:
            row = self._store.latest_by(when(reading.at, self._now), session=session, path=path)
            if row is None:
                self.problem = RevisionNotFound(
                    f"{session or path!r} has no version from {reading.at!r} or before",
                    revision=f"{reading.name}@{{{reading.at}}}",
                )
                return
        assert row is not None
        if reading.back:
            back = self._store.nth_latest(reading.back, session=session, path=path, up_to=row.id)
            if back is None:
                self.problem = _too_far(session if session is not None else path, reading.back)
                return
            row = back
        yield row

    def _back(self, row: VersionRow, reading: Revision) -> Iterator[VersionRow]:
        """Back from a version in its session."""
        if not reading.back:
            yield row
            return
        if row.session is None:
            self.problem = _too_far(reading.name, reading.back)
            return
        found = self._store.nth_latest(reading.back, session=row.session, up_to=row.id)
        if found is None:
            self.problem = _too_far(reading.name, reading.back)
            return
        yield found


def hash_range(prefix: str) -> tuple[bytes, bytes]:
    """The lowest and the highest 32-byte hash with these first hexadecimal digits."""
    return bytes.fromhex(prefix.ljust(64, "0")), bytes.fromhex(prefix.ljust(64, "f"))


def _digits_apart(found: dict[bytes, int]) -> int:
    """How many digits tell these hashes apart, at least 12."""
    for digits in range(12, 64, 4):
        if len({content.hex()[:digits] for content in found}) == len(found):
            return digits
    return 64


def _too_far(name: str | None, back: int) -> RevisionNotFound:
    return RevisionNotFound(
        f"{name!r} does not go back by {back:,} {'version' if back == 1 else 'versions'}; "
        f"casstore log shows how far",
        revision=name,
    )


def _ambiguous(text: str, found: list[Found]) -> AmbiguousRevision:
    shown = [f"{each.revision} (version {each.row.id})" for each in found[:_SHOWN]]
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    return AmbiguousRevision(
        f"{text!r} names several versions; write one of: {', '.join(shown)}{more}",
        revision=text,
        candidates=[
            {"revision": each.revision, "kind": each.kind, "version_id": each.row.id}
            for each in found[:_SHOWN]
        ],
    )


def _not_found(store: Store, text: str, reading: Revision) -> NotFound:
    if reading.kind == SESSION:
        return SessionNotFound(
            f"the session {reading.name!r} has no version in {store.location}",
            session_id=reading.name,
        )
    if reading.kind == TAG:
        return TagNotFound(f"there is no tag {reading.name!r} in {store.location}", tag=text)
    what = "session, tag, captured file or content hash" if reading.kind is None else reading.kind
    return RevisionNotFound(
        f"no {what} is called {reading.name!r} in {store.location}; "
        f"casstore sessions and casstore log list what is there",
        revision=text,
    )
