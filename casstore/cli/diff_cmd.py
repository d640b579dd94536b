"""``casstore diff``: shows what changed between two workflows, each a version or a file."""

from __future__ import annotations

import click

from casstore import documents, jsontext
from casstore.cli import files, shared
from casstore.cli.terminal import Table, cut, printable, proper, width_of
from casstore.errors import InvalidDocument, NotFound, UsageError
from casstore.formats import workflow_format
from casstore.records import BINARY, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NamedTuple

    from casstore.cli.run import Run
    from casstore.records import VersionRow
    from casstore.workflow import Diff
else:
    from casstore._namedtuple import NamedTuple

_BOM = b"\xef\xbb\xbf"
_NO_DOCUMENT = b"null"
_SUMMARY = 200
"""Characters of the summary in JSON, which has all the rest as well."""

_COLORS = {"+": "green", "-": "red", "~": "cyan"}


class NoFile(NotFound):
    """A name that is neither a version's id nor a file."""

    code = "no_such_revision"


class _Side(NamedTuple):
    """One of the two things to compare."""

    label: str
    data: Any
    ui: Any
    """The editor's half of a version that has one of its own, else `_NO_HALF`."""
    source: bytes
    """The text that ``data`` was read from."""


_NO_HALF = object()


@shared.command(
    answers={
        "a": "what A is",
        "b": "what B is",
        "equal": "true where nothing differs; the order of keys does not count",
        "same_graph": "true where nothing but looks differs",
        "summary": "what differs, in a few words",
        "stat": "counts of {nodes_changed, nodes_added, nodes_removed, values, links, groups, "
        "subgraphs, other, cosmetic}",
        "formats": "the format of each: api, ui, wrapped or json",
        "notes": "list of remarks",
        "nodes": "list of nodes that were changed, added or removed; not with --stat",
        "groups": "list of groups, likewise",
        "subgraphs": "list of subgraph definitions, likewise",
        "other": "list of {path, before, after} for all else that counts, likewise",
        "cosmetic": "list of changes of looks, likewise",
        "patch": "with --patch: the list of operations of RFC 6902, instead of the lists above",
    }
)
@click.argument("a", metavar="A", type=shared.FileName())
@click.argument("b", metavar="B", type=shared.FileName())
@click.option("--patch", is_flag=True, help="A JSON patch (RFC 6902) that turns A into B.")
@click.option("--stat", is_flag=True, help="Only how much changed, node by node.")
@click.option("--ui", is_flag=True, help="Of versions, the UI half, workflow_data_ui.")
@click.option("--exit-code", is_flag=True, help="End with 1 where A and B differ, else with 0.")
def command(run: Run, a: str, b: str, patch: bool, stat: bool, ui: bool, exit_code: bool) -> None:
    """Show what changed from A to B.

    A and B are version ids or files; - reads stdin, and ./42 is a file of that name. Nodes are
    compared by their ids, widgets by name where the workflow gives names, else by position.
    Changes of looks (places, sizes, colours, the view) come last, marked with a dot.

    \b
      casstore diff 41 42
      casstore diff 42 projects/demo/inputs/wf.json
      casstore diff --patch 41 42 > edit.json
    """
    if patch and stat:
        raise UsageError("name one of --patch and --stat")
    if a == b == files.STDIN:
        raise UsageError("A and B cannot both be stdin; name one of the files")
    from casstore import workflow

    left, right = _document(run, a), _document(run, b)
    before, after, notes = _halves(left, right, ui)
    found = workflow.diff(before, after)
    notes += [found.note] if found.note is not None else []
    if patch:
        _answer_patch(run, left, right, found, notes, workflow.json_patch(before, after))
    elif run.json:
        lists = {} if stat else found.as_dict()
        lists.pop("note", None)  # one of the notes
        _write_json(run, {**_head(left, right, found, notes), **lists})
    else:
        run.write_text("".join(f"{line}\n" for line in _text(run, left, right, found, stat)))
        for note in notes:
            run.note(note)
    if exit_code and not found.empty:
        click.get_current_context().exit(1)


# What to compare


def _document(run: Run, name: str) -> _Side:
    """What a name stands for: a version by its id, else a file.

    Raises `VersionNotFound`, `NoFile`, or `InvalidDocument` for what is no JSON.
    """
    if name.isascii() and name.isdigit() and len(name) < 20:
        return _version(run, int(name))
    return _file(run, name)


def _file(run: Run, name: str) -> _Side:
    try:
        data = files.read(name, documents.MAX_PAYLOAD)
    except UsageError as error:
        if name == files.STDIN or not _is_missing(name):
            raise
        raise NoFile(
            f"there is no version and no file {name}; versions are named by their ids, such as 42",
            name=proper(name),
        ) from error
    shown = files.shown(name)
    document = documents.from_any_text(data.removeprefix(_BOM), shown)
    if document.codec in (TEXT, BINARY):
        documents.from_text(document.payload, shown)  # raises, saying why
    return _Side(shown, documents.value_of(document.payload, document.codec), _NO_HALF, data)


def _is_missing(name: str) -> bool:
    import os

    return not os.path.lexists(name)


def _version(run: Run, version_id: int) -> _Side:
    with run.open_store() as store:
        row, data, ui = store.restore_texts(version_id)
    if data is None and ui is None:
        raise InvalidDocument(f"version {row.id} holds no workflow", version_id=row.id)
    label = f"version {row.id} of {row.session}, {row.created_at}"
    main = data or ui
    assert main is not None
    half = _value(row, ui) if data is not None and ui is not None and ui != data else _NO_HALF
    return _Side(label, _value(row, main), half, main[0])


def _value(row: VersionRow, payload: tuple[bytes, int]) -> Any:
    text, codec = payload
    if codec in (TEXT, BINARY) or (text == _NO_DOCUMENT and row.source is not None):
        raise InvalidDocument(
            f"version {row.id} holds a file that is no JSON, so there is no workflow to compare; "
            f"casstore restore gives it back",
            version_id=row.id,
        )
    return documents.value_of(text, codec)


def _halves(left: _Side, right: _Side, ui: bool) -> tuple[Any, Any, list[str]]:
    """The documents to compare: of versions with two halves those of one format, the API format
    first; and what to say about it."""
    pairs = [
        (x, y)
        for x in ((left.ui, left.data) if ui else (left.data, left.ui))
        for y in ((right.ui, right.data) if ui else (right.data, right.ui))
        if x is not _NO_HALF and y is not _NO_HALF
    ]
    alike = [pair for pair in pairs if workflow_format(pair[0]) == workflow_format(pair[1])]
    before, after = (alike or pairs)[0]
    notes = []
    if _NO_HALF not in (left.ui, right.ui) and before is left.data and after is right.data:
        from casstore.workflow.exact import same

        if not same(left.ui, right.ui):
            notes.append("the UI halves of the versions differ too; add --ui to see how")
    return before, after, notes


# The answers


def _head(left: _Side, right: _Side, found: Diff, notes: list[str]) -> dict[str, Any]:
    from casstore.workflow import statistics, summary

    return {
        "a": proper(left.label),
        "b": proper(right.label),
        "equal": found.empty,
        "same_graph": found.same_graph,
        "summary": summary(found, _SUMMARY),
        "stat": statistics(found),
        "formats": list(found.formats),
        "notes": notes,
    }


def _write_json(run: Run, values: dict[str, Any]) -> None:
    # not through `Run.answer`, which walks values by recursion: a document may be 500 levels deep
    run.write(jsontext.dumps(values) + b"\n")


def _answer_patch(
    run: Run,
    left: _Side,
    right: _Side,
    found: Diff,
    notes: list[str],
    operations: list[dict[str, Any]],
) -> None:
    if run.json:
        _write_json(run, {**_head(left, right, found, notes), "patch": operations})
        return
    lines = b",\n ".join(map(jsontext.dumps, operations))
    run.write(b"[" + lines + b"]\n")


def _text(run: Run, left: _Side, right: _Side, found: Diff, stat: bool) -> Iterator[str]:
    yield _line(run, f"A  {left.label}", "dim")
    yield _line(run, f"B  {right.label}", "dim")
    yield ""
    if found.empty:
        rewritten = left.source != right.source
        yield "no differences" + (
            "; the texts differ in the order of keys or in spacing" if rewritten else ""
        )
        return
    if stat:
        yield from _stat(run, found)
    else:
        from casstore.workflow.texts import lines

        for line in lines(found, run.width, _columns):
            yield _line(run, line.text, line.kind)
    from casstore.workflow import summary_counts

    yield ""
    yield from _wrapped(summary_counts(found), run.width)


def _wrapped(phrases: list[str], width: int) -> Iterator[str]:
    """Phrases on as many lines as they need."""
    line = phrases[0]
    for phrase in phrases[1:]:
        if len(line) + len(phrase) + 3 > width:
            yield f"{line};"
            line = phrase
        else:
            line = f"{line}; {phrase}"
    yield line


def _columns(text: str) -> int:
    return width_of(printable(text))


def _line(run: Run, text: str, kind: str) -> str:
    shown = cut(printable(text), run.width)
    if not run.color or kind not in (*_COLORS, "dim", "."):
        return shown
    return click.style(shown, fg=_COLORS.get(kind), dim=True if kind in ("dim", ".") else None)


def _stat(run: Run, found: Diff) -> Iterator[str]:
    rows = []
    for node in found.nodes:
        counts = (len(node.widgets), len(node.wires), len(node.other))
        rows.append((node.change, " / ".join((*node.node.graph, node.node.label)), counts))
    for group in found.groups:
        rows.append((group.change, f"group {group.title}", (0, 0, len(group.other))))
    for subgraph in found.subgraphs:
        counts = (0, len(subgraph.wires), len(subgraph.other))
        rows.append((subgraph.change, f"subgraph {subgraph.name}", counts))
    if rows:
        table = Table(
            ("change", "what", "values", "links", "other"), width=run.width, color=run.color
        )
        cells = [(change, what, *map(str, counts)) for change, what, counts in rows]
        yield table.part(cells, (False, False, True, True, True)).rstrip("\n")
