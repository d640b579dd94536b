"""Pages: lists come in order, in pieces that meet without a gap, and totals add up."""

from __future__ import annotations

from casstore.conformance.expect import same
from casstore.conformance.samples import add, add_blob, blob, loose, row
from casstore.records import SessionInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.backends.base import Backend
    from casstore.conformance.subject import Subject


def _some(backend: Backend) -> list[int]:
    """Nine versions of three sessions and two paths, of which the fourth is deleted."""
    ids = add(backend, *[row("abc"[n % 3], path="pq"[n % 2] if n % 3 else None) for n in range(9)])
    with backend.transaction():
        backend.delete_version(ids.pop(3))
    return ids


def check_versions_in_the_order_of_ids(subject: Subject) -> None:
    """Versions come in the order of ids, or the reverse, whatever order they were made in."""
    backend = subject.fresh()
    same(list(backend.versions()), [], "the versions of an empty store")
    ids = _some(backend)
    early = ids[-1] + 10
    add(backend, row("a", id=early + 5), row("a", id=early))
    ids += [early, early + 5]
    same([each.id for each in backend.versions()], ids, "the versions")
    newest_first = [each.id for each in backend.versions(newest_first=True)]
    same(newest_first, ids[::-1], "the versions, newest first")
    same(backend.versions()[0], backend.version(ids[0]), "the first row")


def check_pages_meet(subject: Subject) -> None:
    """A page begins beyond `after` in its order and holds at most `limit`."""
    backend = subject.fresh()
    ids = _some(backend)
    for newest_first, expected in ((False, ids), (True, ids[::-1])):
        seen: list[int] = []
        for _ in ids:
            page = backend.versions(
                after=seen[-1] if seen else 0, limit=3, newest_first=newest_first
            )
            same(len(page) <= 3, True, "the page is no longer than its limit")
            if not page:
                break
            seen += [each.id for each in page]
        same(seen, expected, f"all pages together, newest_first={newest_first}")
    gone = ids[2] + 1  # the deleted id
    same([each.id for each in backend.versions(after=gone, limit=1)], [ids[3]], "after a gap")
    same(
        [each.id for each in backend.versions(after=gone, limit=1, newest_first=True)],
        [ids[2]],
        "before a gap",
    )


def check_versions_of_one_session_or_path(subject: Subject) -> None:
    """Pages of one session or one path hold its versions only; both together, those of both."""
    backend = subject.fresh()
    _some(backend)
    rows = list(backend.versions())
    for session in ("a", "b", "none of that name"):
        expected = [each for each in rows if each.session == session]
        same(list(backend.versions(session=session)), expected, f"the session {session!r}")
    for path in ("p", "q", "none of that name"):
        expected = [each for each in rows if each.path == path]
        same(list(backend.versions(path=path)), expected, f"the path {path!r}")
    expected = [each for each in rows if each.session == "b" and each.path == "q"]
    same(len(expected) > 0, True, "the sample has versions of both")
    same(list(backend.versions(session="b", path="q")), expected, "the session and path")
    both = backend.versions(
        session="b", path="q", after=expected[-1].id, newest_first=True, limit=5
    )
    same(list(both), expected[-2::-1], "the session and path, newest first, after the last")


def check_sessions_in_the_order_of_labels(subject: Subject) -> None:
    """Sessions come by label in the order of code points, with count, ids and times."""
    backend = subject.fresh()
    same(list(backend.sessions()), [], "the sessions of an empty store")
    labels = ("b", "a", "B", "", "\U0001f600", "\uffff", "b ", "a")
    ids = add(backend, *[row(each, created_at=f"time {n}") for n, each in enumerate(labels)])
    add(backend, row(None))
    expected = [
        SessionInfo("", 1, ids[3], ids[3], "time 3", "time 3"),
        SessionInfo("B", 1, ids[2], ids[2], "time 2", "time 2"),
        SessionInfo("a", 2, ids[1], ids[7], "time 1", "time 7"),
        SessionInfo("b", 1, ids[0], ids[0], "time 0", "time 0"),
        SessionInfo("b ", 1, ids[6], ids[6], "time 6", "time 6"),
        SessionInfo("\uffff", 1, ids[5], ids[5], "time 5", "time 5"),
        SessionInfo("\U0001f600", 1, ids[4], ids[4], "time 4", "time 4"),
    ]
    same(list(backend.sessions()), expected, "the sessions")
    same(list(backend.sessions(limit=2)), expected[:2], "the first two")
    same(list(backend.sessions(after="B", limit=2)), expected[2:4], "two beyond 'B'")
    same(list(backend.sessions(after="")), expected[1:], "those beyond the empty label")
    same(list(backend.sessions(after="aa")), expected[3:], "those beyond a label that is none")


def check_a_session_without_versions_is_gone(subject: Subject) -> None:
    """A session whose versions were all deleted is not listed."""
    backend = subject.fresh()
    first, _ = add(backend, row("a"), row("b"))
    with backend.transaction():
        backend.delete_version(first)
    same([each.session_id for each in backend.sessions()], ["b"], "the sessions left")
    same(backend.counts().sessions, 1, "the count of sessions")


def check_counts_add_up(subject: Subject) -> None:
    """Totals count versions, sessions, blobs, loose ones, and the bytes of each kind."""
    backend = subject.fresh()
    counts = backend.counts()
    same(tuple(counts)[:-1], (0,) * 7, "the totals of an empty store")
    puts = {"a": blob("a"), "b": blob("bb"), "c": loose("c")}
    a, b, c = (add_blob(backend, each) for each in puts.values())
    rows = (row("s", a), row("s", a, b), row("t", c, None, a), row(None, None, b), row("t"))
    add(backend, *rows)
    counts = backend.counts()
    sizes = {blob_id: each.size for blob_id, each in zip((a, b, c), puts.values(), strict=True)}
    same(counts.versions, 5, "versions")
    same(counts.sessions, 2, "sessions; versions of no session are none")
    same(counts.blobs, 3, "blobs")
    same(counts.loose, 1, "loose blobs")
    logical = sum(sizes[i] for each in rows for i in (each.data, each.ui) if i is not None)
    same(counts.logical_bytes, logical, "logical bytes; sources do not count")
    same(counts.distinct_bytes, sum(sizes.values()), "distinct bytes")
    same(counts.stored_bytes, sum(len(each.data) for each in puts.values()), "stored bytes")
    same(counts.file_bytes >= counts.stored_bytes, True, "the file holds what is stored")
