"""Finding versions by place, time and what they hold."""

from __future__ import annotations

from casstore.conformance.expect import same
from casstore.conformance.samples import add, add_blob, blob, loose, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.backends.base import Backend
    from casstore.conformance.subject import Subject
    from casstore.records import VersionRow


def check_nth_latest(subject: Subject) -> None:
    """The n-th latest version of a session or path counts back over its own versions only."""
    backend = subject.fresh()
    ids = add(backend, *(row("ab"[n % 2], path="pq"[n % 3 == 0]) for n in range(9)))
    with backend.transaction():
        backend.delete_version(ids.pop(4))
    rows = [backend.version(each) for each in ids]
    for of in ({"session": "a"}, {"session": "b"}, {"path": "p"}, {"path": "q"}, {"path": "r"}):
        [(key, name)] = of.items()
        line = [each for each in rows if each and getattr(each, key) == name][::-1]
        seen = [_nth(backend, n, of) for n in range(len(line) + 2)]
        same(seen, [*line, None, None], f"the versions of {of}, one by one")
        for end in line:
            rest = line[line.index(end) :]
            found = [_nth(backend, n, of, end.id) for n in range(len(rest) + 1)]
            same(found, [*rest, None], f"those of {of} up to {end.id}")
            earlier = [each for each in line if each.id < end.id]
            found = [_nth(backend, 0, of, end.id - 1)]
            same(found, earlier[:1] or [None], f"that of {of} before {end.id}")


def _nth(
    backend: Backend, skip: int, of: dict[str, str], up_to: int | None = None
) -> VersionRow | None:
    return backend.nth_latest(skip, session=of.get("session"), path=of.get("path"), up_to=up_to)


def check_latest_by_a_time(subject: Subject) -> None:
    """The latest by a time is the one with the largest id whose time is not after it."""
    backend = subject.fresh()
    times = [f"2026-01-31T12:00:{second:02d}.500+00:00" for second in range(0, 40, 2)]
    ids = add(
        backend, *(row("ab"[n % 3 == 0], path="p", created_at=t) for n, t in enumerate(times))
    )
    first = 1769860800_000
    for session, path in (("a", None), ("b", None), (None, "p"), ("none", None), (None, "none")):
        rows = [backend.version(each) for each in ids]
        line = [each for each in rows if each and (each.session == session or each.path == path)]
        for second in range(-1, 42):
            moment = first + second * 1000 + 500
            by = [each for each in line if each.created_at and _at(each.created_at) <= second]
            found = backend.latest_by(moment, session=session, path=path)
            same(found, by[-1] if by else None, f"{session or path} at second {second}")


def _at(created_at: str) -> int:
    return int(created_at[17:19])


def check_latest_by_a_time_without_order(subject: Subject) -> None:
    """Times out of order, in other shapes or unreadable do not mislead `latest_by`."""
    backend = subject.fresh()
    times = (
        "2026-01-31 12:00:05",
        "no time",
        "2026-01-31T14:00:07+02:00",
        "2026-01-31T12:00:01Z",
        None,
        "2026-01-31 12:00:09.250",
        "2026-01-31T12:00:03.000+00:00",
    )
    ids = add(backend, *(row("s", path="p", created_at=time) for time in times))
    seconds = (5, None, 7, 1, None, 9.25, 3)
    for of in ({"session": "s"}, {"path": "p"}):
        for tenth in range(0, 110, 5):
            moment = 1769860800_000 + tenth * 100
            by = [
                each
                for each, second in zip(ids, seconds, strict=True)
                if second is not None and second * 10 <= tenth
            ]
            found = backend.latest_by(moment, **of)
            same(found and found.id, by[-1] if by else None, f"{of} at {tenth / 10} s")


def check_latest_by_a_time_that_jumps_back(subject: Subject) -> None:
    """Where times fall as ids grow, the latest by a time is still the right one."""
    backend = subject.fresh()
    seconds = (1, 2, 9, 8, 7, 3, 4, 5, 6)
    times = [f"2026-01-31T12:00:0{second}.000+00:00" for second in seconds]
    ids = add(backend, *(row("s", path="p", created_at=time) for time in times))
    for of in ({"session": "s"}, {"path": "p"}):
        for now in range(10):
            by = [each for each, second in zip(ids, seconds, strict=True) if second <= now]
            found = backend.latest_by(1769860800_000 + now * 1000, **of)
            same(found and found.id, by[-1] if by else None, f"{of} at second {now}")


def check_latest_by_a_time_after_changes(subject: Subject) -> None:
    """A version given another time, an older id or session later is found by its new one."""
    backend = subject.fresh()
    early, middle, late = (f"2026-01-31T12:00:0{n}.000+00:00" for n in (1, 5, 9))
    ids = add(backend, *(row("s", path="p", id=n, created_at=middle) for n in (10, 20, 30)))
    with backend.transaction():
        changed = backend.version(ids[2])
        backend.update_version(changed._replace(created_at=early))  # type: ignore[union-attr]
    found = backend.latest_by(1769860803_000, session="s")
    same(found and found.id, 30, "after the newest one's time was changed")
    found = backend.latest_by(1769860803_000, path="p")
    same(found and found.id, 30, "and by its path")
    backend = subject.fresh()
    add(backend, *(row("s", id=n, created_at=middle) for n in (10, 20)))
    add(backend, row("s", id=5, created_at=late))
    found = backend.latest_by(1769860806_000, session="s")
    same(found and found.id, 20, "after a later version with an older id")
    backend = subject.fresh()
    first, _ = add(backend, row("t", created_at=late), row("s", created_at=middle))
    with backend.transaction():
        moved = backend.version(first)
        backend.update_version(moved._replace(session="s"))  # type: ignore[union-attr]
    found = backend.latest_by(1769860806_000, session="s")
    same(found and found.id, 2, "after a version came from another session")


def check_blobs_between_hashes(subject: Subject) -> None:
    """Blobs are found by a range of content hashes or digests, in their order, ends included."""
    backend = subject.fresh()
    blobs = [blob(name) for name in "abcdefgh"]
    blobs.append(loose("i"))
    blobs.append(blob("j")._replace(content_hash=blobs[0].content_hash))
    ids = [add_blob(backend, each) for each in blobs]
    both = list(zip(ids, blobs, strict=True))
    contents = sorted((each.content_hash, i) for i, each in both if each.content_hash is not None)
    digests = sorted((each.digest, i) for i, each in both)
    everything = (b"\0" * 32, b"\xff" * 32)
    for found, flag in ((contents, False), (digests, True)):
        expected = [(i, each) for each, i in found]
        same(list(backend.blobs_between(*everything, digests=flag)), expected, "all blobs")
        part = list(backend.blobs_between(expected[2][1], expected[5][1], digests=flag))
        same(part, expected[2:6], "those between two")
        some = list(backend.blobs_between(*everything, digests=flag, limit=3))
        same(some, expected[:3], "the first three")
    same(list(backend.blobs_between(b"\xff" * 32, b"\0" * 32)), [], "an empty range")


def check_holders_of_a_blob(subject: Subject) -> None:
    """Versions that hold a blob as data, ui or source are found once each, page by page."""
    backend = subject.fresh()
    a, b, c = (add_blob(backend, blob(name)) for name in "abc")
    ids = add(
        backend,
        row("s", a),
        row("s", b, a),
        row("s", b, None, a),
        row("s", b, b, b),
        row("s", a, a, a),
        row("s", None, a),
        row("s", None, None, a),
    )
    holding = [ids[0], ids[1], ids[2], *ids[4:]]
    same(list(backend.holders(a)), holding, "those that hold it")
    same(list(backend.holders(a, newest_first=True)), holding[::-1], "newest first")
    same(list(backend.holders(a, after=ids[1], limit=2)), holding[2:4], "a page")
    back = list(backend.holders(a, after=ids[4], limit=2, newest_first=True))
    same(back, [ids[2], ids[1]], "a page backwards")
    same(list(backend.holders(b)), ids[1:4], "those of another")
    same(list(backend.holders(c)), [], "those of a blob that none holds")


def check_stored_sizes(subject: Subject) -> None:
    """The stored size of a blob is the number of bytes of its data."""
    backend = subject.fresh()
    blobs = [blob("a"), blob("some more"), loose("c")]
    ids = [add_blob(backend, each) for each in blobs]
    expected = {i: len(each.data) for i, each in zip(ids, blobs, strict=True)}
    same(backend.stored_sizes(ids), expected, "all sizes")
    same(backend.stored_sizes(ids[1:2]), {ids[1]: expected[ids[1]]}, "one size")
    same(backend.stored_sizes([]), {}, "no sizes")
