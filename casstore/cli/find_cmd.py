"""``casstore find``: which versions hold something."""

from __future__ import annotations

from itertools import islice

import click

from casstore.cli import files, shared, terminal
from casstore.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from casstore.cli.run import Run
    from casstore.records import VersionRow
    from casstore.searching import Wanted
    from casstore.store import Store

    Hit = tuple[VersionRow, str]


@shared.command(
    answers={
        "versions": "list, newest first, of {version_id, session_id, created_at, path, where}; "
        "where says in a few words where in the version it is"
    }
)
@click.option("--content", metavar="HASH", type=shared.Text(), help="This content hash or digest.")
@click.option("--file", "same", metavar="FILE", type=shared.FileName(), help="What FILE holds.")
@click.option("--node", metavar="TYPE", type=shared.Text(), help="A node of this type.")
@click.option("--text", metavar="TEXT", type=shared.Text(), help="This text, A like a.")
@click.option("--model", metavar="NAME", type=shared.Text(), help="A value naming this file.")
@click.option("--session", metavar="SID", type=shared.Text(), help="In this session only.")
@click.option("-n", "count", metavar="N", type=click.IntRange(min=1), help="At most N versions.")
def command(
    run: Run,
    content: str | None,
    same: str | None,
    node: str | None,
    text: str | None,
    model: str | None,
    session: str | None,
    count: int | None,
) -> None:
    """Find the versions that hold something.

    Name what to look for; of several things each must be there. --content takes 6 or more digits
    of a content hash or SHA-256, and finds through an index. The others read the documents,
    newest first, and print each version as it is found.

    \b
      casstore find --node KSampler -n 5
      casstore find --model sd_xl_base_1.0.safetensors
      casstore find --file projects/demo/inputs/wf.json
    """
    from casstore.searching import search

    if content is not None and same is not None:
        raise UsageError("name one of --content and --file")
    wanted = _wanted(node, text, model)
    if not wanted and content is None and same is None:
        raise UsageError("say what to find: --content, --file, --node, --text or --model")
    spans = _spans(content, same)
    with run.open_store() as store:
        if session is not None:
            store.row(session_id=session)
        rows = store.rows(session) if spans is None else _holding(store, spans, session)
        found: Iterator[Hit] = (
            search(store, rows, wanted) if wanted else ((row, "same content") for row in rows)
        )
        _answer(run, islice(found, count))


def _wanted(node: str | None, text: str | None, model: str | None) -> list[Wanted]:
    from casstore.searching import WantedModel, WantedNode, WantedText

    made: list[Wanted] = []
    for option, value, kind in (
        ("--node", node, WantedNode),
        ("--text", text, WantedText),
        ("--model", model, WantedModel),
    ):
        if value is not None:
            if not value:
                raise UsageError(f"{option} is empty; say what to look for")
            made.append(kind(value))
    return made


def _spans(content: str | None, same: str | None) -> list[tuple[bytes, bytes]] | None:
    """Ranges of hashes."""
    from casstore.revisions import MIN_HASH, hash_range

    if same is not None:
        return _hashes_of(same)
    if content is None:
        return None
    prefix = content.lower()
    if not MIN_HASH <= len(prefix) <= 64 or set(prefix) - set("0123456789abcdef"):
        raise UsageError(f"--content takes {MIN_HASH} to 64 hexadecimal digits, not {content!r}")
    return [hash_range(prefix)]


def _hashes_of(name: str) -> list[tuple[bytes, bytes]]:
    """The digest of a file and the content hash of the document in it."""
    from casstore import documents
    from casstore.digests import sha256

    source = files.read(name, documents.MAX_PAYLOAD)
    hashes = {sha256(source)}
    document = documents.from_any_text(source.removeprefix(b"\xef\xbb\xbf"), files.shown(name))
    if document.content_hash is not None:
        hashes.add(document.content_hash)
    return [(each, each) for each in hashes]


def _holding(
    store: Store, spans: list[tuple[bytes, bytes]], session: str | None
) -> Iterator[VersionRow]:
    from heapq import merge

    last = 0
    for version in merge(*(store.holders_of(*span) for span in spans), reverse=True):
        if version != last:
            row = store.row(version)
            if session is None or row.session == session:
                yield row
        last = version


def _answer(run: Run, found: Iterator[Hit]) -> None:
    from casstore.clock import moment
    from casstore.when import local_text

    if run.json:
        run.answer_each(
            "versions",
            (
                {
                    "version_id": row.id,
                    "session_id": row.session,
                    "created_at": row.created_at,
                    "path": row.path,
                    "where": where,
                }
                for row, where in found
            ),
        )
        return
    width = run.width

    def lines() -> Iterator[str]:
        for row, where in found:
            place = row.path or row.session or "no session"
            time = local_text(moment(row.created_at), row.created_at)
            first = terminal.cut(terminal.printable(f"{row.id}  {time}  {place}"), width)
            yield f"{first}\n    {terminal.cut(terminal.printable(where), width - 4)}\n"

    run.page(lines())
