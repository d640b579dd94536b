"""``casstore show``: everything about one version but its documents."""

from __future__ import annotations

import click

from casstore import jsontext
from casstore.cli import entries, shared
from casstore.cli.run import plain
from casstore.cli.terminal import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(
    answers={
        "version_id": "id of the version, an integer",
        "session_id": "its session",
        "created_at": "its time, as saved",
        "path": "the captured file in the project, or null",
        "tool": "the tool that was about to run, or what else saved it",
        "change": "what changed since previous_version, in a few words",
        "previous_version": "of the same file, else of the same session; or null",
        "content_hash": "SHA-256 of the workflow's canonical form, or null",
        "size": "bytes of both documents",
        "stored_bytes": "bytes of what was new in it, as stored",
        "tags": "list of its tags",
        "pinned": "true where it is pinned",
        "note": "its note, or null",
        "damaged": "true where the documents cannot be read",
        "ui_content_hash": "as content_hash, of workflow_data_ui",
        "attributes": "the object saved with it, or null",
    }
)
@click.argument("revision", metavar="REV", type=shared.Text())
def command(run: Run, revision: str) -> None:
    """Show what is known of one version.

    casstore restore REV gives its documents. How to write REV is in docs/revisions.md.

    \b
      casstore show demo~1
    """
    from casstore.history import History
    from casstore.when import local_text

    with run.open_store() as store:
        row = run.version(store, revision)
        entry = History(store).entry(row)
        values = entries.values(store, entry)
        ui_hash = store.version(row.id).ui_content_hash
    attributes = entries.attributes(entry)
    marks = entry.marks
    lines = [
        ("version", str(row.id)),
        ("session", row.session if row.session is not None else "none"),
        ("saved", f"{local_text(entry.time, row.created_at)} by {entry.tool}"),
        *([("file", row.path)] if row.path is not None else []),
        (f"since {entry.previous}" if entry.previous else "change", entry.change),
        ("size", f"{size(values['size'])}, {size(entry.stored_bytes)} of it stored new"),
        *([("content", values["content_hash"])] if values["content_hash"] else []),
        *([("UI content", ui_hash)] if ui_hash and ui_hash != values["content_hash"] else []),
        *([("tags", ", ".join(marks.tags))] if marks.tags else []),
        *([("pinned", "yes")] if marks.pinned else []),
        *([("note", marks.note)] if marks.note else []),
    ]
    if attributes is not None:
        lines.append(("attributes", jsontext.dumps(plain(attributes)).decode()))
    run.answer({**values, "ui_content_hash": ui_hash, "attributes": attributes}, *lines)
    if entry.damaged:
        click.get_current_context().exit(20)
