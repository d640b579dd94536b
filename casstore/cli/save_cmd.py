"""``casstore save``: saves a workflow file as one version, to the byte."""

from __future__ import annotations

import click

from casstore import jsontext
from casstore.cli import files, shared
from casstore.cli.terminal import size
from casstore.describe import bytes_kind, value_kind
from casstore.errors import InvalidDocument, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from casstore.cli.run import Run
    from casstore.records import SavedVersion
    from casstore.store import Store
else:
    from casstore._namedtuple import NamedTuple

_BOM = b"\xef\xbb\xbf"


class _Workflow(NamedTuple):
    """A file that holds a workflow."""

    name: str
    source: bytes
    text: str
    """What it holds, without a byte order mark."""


@shared.command(
    answers={
        "version_id": "id of the version, an integer",
        "session_id": "its session",
        "created_at": "its time, ISO 8601 in UTC",
        "content_hash": "SHA-256 of the workflow's canonical form",
        "deduplicated": "true where all of it was stored before; null with --ui",
        "path": "FILE relative to the project root; null for stdin and elsewhere",
        "size": "bytes of FILE",
        "notes": "list of remarks, such as a byte order mark that was found",
    }
)
@click.argument("file", metavar="FILE", type=shared.FileName())
@click.option(
    "--session",
    required=True,
    metavar="SID",
    type=shared.Text(),
    help="The session to save it under.",
)
@click.option(
    "--ui",
    metavar="FILE",
    type=shared.FileName(),
    help="The same workflow in the UI's format, saved with it.",
)
@click.option(
    "--attributes",
    metavar="JSON",
    type=shared.Text(),
    help="A JSON object to keep with the version.",
)
def command(run: Run, file: str, session: str, ui: str | None, attributes: str | None) -> None:
    """Save a workflow file as a new version.

    FILE holds one JSON object; - reads stdin. The version keeps its exact bytes, and casstore
    restore gives them back. A UI-format file is saved as workflow_data and as workflow_data_ui;
    to save a workflow in both formats name the API one as FILE and the other with --ui.

    \b
      casstore save projects/demo/inputs/wf.json --session demo
    """
    if file == files.STDIN and ui == files.STDIN:
        raise UsageError("FILE and --ui cannot both be stdin; name one of the files")
    notes: list[str] = []
    extra = None if attributes is None else _object(attributes, "--attributes")
    data = _workflow(file, notes)
    half = None if ui is None else _workflow(ui, notes)
    path = None if half else files.path_in_project(file, run.project_root)
    with run.open_store(create=True) as store:
        if half is None:
            saved = store.save_file(session, data.source, path=path, attributes=extra)
            known: bool | None = saved.deduplicated
        else:
            saved, known = _save_pair(store, session, data, half, attributes), None
    again = ", nothing new to store" if known else ""
    run.answer(
        {
            "version_id": saved.version_id,
            "session_id": session,
            "created_at": saved.created_at,
            "content_hash": saved.content_hash,
            "deduplicated": known,
            "path": path,
            "size": len(data.source),
            "notes": notes,
        },
        f"saved version {saved.version_id} of session {session} ({size(len(data.source))}{again})",
        *(f"note: {note}" for note in notes),
    )


def _save_pair(
    store: Store, session: str, data: _Workflow, ui: _Workflow, attributes: str | None
) -> SavedVersion:
    """Saves both halves with their exact texts."""
    from casstore.clock import timestamp
    from casstore.records import SavedVersion

    created_at = timestamp()
    version_id = store.save_texts(session, data.text, ui.text, attributes, created_at)
    return SavedVersion(version_id, created_at, store.version(version_id).content_hash, False)


def _workflow(name: str, notes: list[str]) -> _Workflow:
    """The workflow in a file. Raises `InvalidDocument` for anything but one JSON object in UTF-8
    with unique keys."""
    from casstore.documents import MAX_PAYLOAD

    source = files.read(name, MAX_PAYLOAD)
    shown = files.shown(name)
    kind = bytes_kind(source)
    if kind is not None:
        raise InvalidDocument(f"{shown} is {kind}; a workflow is a JSON object", path=name)
    if source.startswith(_BOM):
        notes.append(f"{shown} starts with a byte order mark; its JSON is what follows")
    try:
        text = source.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        at = error.start + len(source) - len(error.object)
        raise InvalidDocument(
            f"{shown} is not UTF-8 text: byte {at} is {source[at]:#04x}", path=name, offset=at
        ) from None
    _object(text, shown)
    return _Workflow(name, source, text)


def _object(text: str, where: str) -> dict[str, Any]:
    value = jsontext.loads(text, where=where)
    if type(value) is not dict:
        raise InvalidDocument(f"{where} must hold a JSON object; it holds {value_kind(value)}")
    return value
