"""``casstore log``: the history, newest first, with what changed in each version."""

from __future__ import annotations

from fnmatch import fnmatchcase
from heapq import merge
from itertools import islice

import click

from casstore.cli import entries, shared
from casstore.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.cli.run import Run
    from casstore.history import Entry
    from casstore.records import VersionRow
    from casstore.store import Store


@shared.command(answers={"versions": f"list, newest first, of {{{entries.KEYS}}}"})
@click.argument("revisions", metavar="[REV]...", nargs=-1, type=shared.Text())
@click.option("--session", metavar="SID", type=shared.Text(), help="Versions of this session.")
@click.option("--path", metavar="PATH", type=shared.FileName(), help="Versions of this file.")
@click.option(
    "--tag", metavar="NAME", type=shared.Text(), help="Versions with this tag; * and ? match any."
)
@click.option("--since", metavar="TIME", type=shared.Text(), help="Saved at this time or later.")
@click.option("--until", metavar="TIME", type=shared.Text(), help="Saved at this time or before.")
@click.option("--changes-only", is_flag=True, help="Leave out moves, colours and no changes.")
@click.option("--search", metavar="TEXT", type=shared.Text(), help="Versions that hold this text.")
@click.option("--node", metavar="TYPE", type=shared.Text(), help="With a node of this type.")
@click.option("-n", "count", metavar="N", type=click.IntRange(min=1), help="At most N versions.")
def command(
    run: Run,
    revisions: tuple[str, ...],
    session: str | None,
    path: str | None,
    tag: str | None,
    since: str | None,
    until: str | None,
    changes_only: bool,
    search: str | None,
    node: str | None,
    count: int | None,
) -> None:
    """Show the history: what changed, when, by which tool, and what it costs.

    Newest first. With a REV the history of its session (of a PATH: of that file), from that
    version back. What changed is told against the version before, of the same file where one was
    captured, else of the same session. The size is that of what was new in the version, as
    stored. Times are local.

    \b
      casstore log demo --changes-only -n 10
      casstore log projects/demo/inputs/wf.json --since yesterday
      casstore log --node KSampler --search "red fox"

    How to write REV and TIME is in docs/revisions.md. Several conditions must all hold."""
    if revisions and (session is not None or path is not None or tag is not None):
        raise UsageError("name REV, or one of --session, --path and --tag")
    if tag is not None and (session is not None or path is not None):
        raise UsageError("--tag goes without --session and --path")
    from casstore.history import History
    from casstore.searching import Wanted, WantedNode, WantedText
    from casstore.searching import search as find
    from casstore.when import when

    first = None if since is None else when(since, run.now)
    last = None if until is None else when(until, run.now)
    wanted: list[Wanted] = []
    if search is not None:
        wanted.append(WantedText(_some(search, "--search")))
    if node is not None:
        wanted.append(WantedNode(_some(node, "--node")))
    with run.open_store() as store:
        rows = _rows(run, store, revisions, session, path, tag)
        history = History(store, width=None if run.json else run.width - entries.INDENT)
        if first is not None or last is not None:
            rows = _between(rows, first, last)
        if wanted:
            rows = (row for row, _ in find(store, rows, wanted))
        if changes_only:
            rows = history.changed(rows)
        show(run, store, history.entries(islice(rows, count)))


def show(run: Run, store: Store, found: Iterator[Entry]) -> None:
    """Ends a command with these entries. Exit code 20 where one is damaged."""
    damaged: list[int] = []

    def noted() -> Iterator[Entry]:
        for entry in found:
            if entry.damaged:
                damaged.append(entry.row.id)
            yield entry

    if run.json:
        run.answer_each("versions", (entries.values(store, entry) for entry in noted()))
    else:
        width, color = run.width, run.color
        run.page(entries.text(entry, width=width, color=color) for entry in noted())
    if damaged:
        some = ", ".join(map(str, damaged[:5])) + (" …" if len(damaged) > 5 else "")
        run.note(f"casstore: damaged, or next to a damaged version: {some}")
        click.get_current_context().exit(20)


def _some(text: str, option: str) -> str:
    if not text:
        raise UsageError(f"{option} is empty; say what to look for")
    return text


def _rows(
    run: Run,
    store: Store,
    revisions: tuple[str, ...],
    session: str | None,
    path: str | None,
    tag: str | None,
) -> Iterator[VersionRow]:
    if tag is not None:
        tagged = {each.version_id for each in store.tags() if fnmatchcase(each.name, tag)}
        return (store.row(version) for version in sorted(tagged, reverse=True))
    if revisions:
        lines = [_line(run, store, revision) for revision in revisions]
        return _once(merge(*lines, key=lambda row: -row.id))
    if path is not None:
        path = _known_path(run, store, path)
    if session is not None:
        store.row(session_id=session)  # raises where there is none of that name
    return store.rows(session, path=path)


def _line(run: Run, store: Store, revision: str) -> Iterator[VersionRow]:
    from casstore.revisions import PATH, resolve

    found = resolve(store, revision, now=run.now, path_of=run.path_in_project)
    row = found.row
    if found.kind == PATH:
        return store.rows(path=row.path, up_to=row.id)
    if row.session is None:
        return iter([row])
    return store.rows(row.session, up_to=row.id)


def _known_path(run: Run, store: Store, path: str) -> str:
    from casstore.revisions import RevisionNotFound

    names = [path.replace("\\", "/").removeprefix("./"), run.path_in_project(path)]
    for name in names:
        if name is not None and store.nth_latest(0, path=name) is not None:
            return name
    raise RevisionNotFound(f"no version of {path} was captured", path=path)


def _once(rows: Iterator[VersionRow]) -> Iterator[VersionRow]:
    last = 0
    for row in rows:
        if row.id != last:
            yield row
        last = row.id


def _between(
    rows: Iterator[VersionRow], first: int | None, last: int | None
) -> Iterator[VersionRow]:
    from casstore.clock import moment

    for row in rows:
        time = moment(row.created_at)
        if time is None or (last is not None and time > last):
            continue
        if first is None or time >= first:
            yield row
