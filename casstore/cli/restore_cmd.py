"""``casstore restore``: gives a version back to the byte, on stdout or as a file."""

from __future__ import annotations

import click

from casstore import jsontext
from casstore.cli import files, shared
from casstore.cli.terminal import size
from casstore.errors import InvalidDocument, NotFound, UsageError
from casstore.rowtext import row_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run
    from casstore.records import VersionRow
    from casstore.store import Store

    Payload = tuple[bytes, int] | None


_NO_DOCUMENT = b"null"  # what stands for the document of a file that holds none


class NothingThere(NotFound):
    """The version exists, but has no such half: its file was absent, or the column is NULL."""

    code = "nothing_there"


@shared.command(
    answers={
        "version_id": "id of the version, an integer",
        "session_id": "its session",
        "workflow_data": "the workflow; not with --to",
        "workflow_data_ui": "the workflow in the UI's format, or null; not with --to",
        "attributes": "the object saved with it, or null; not with --to",
        "created_at": "its time",
        "to": "with --to only: the file written",
        "size": "with --to only: its bytes",
    }
)
@click.argument("revision", metavar="[REV]", required=False, type=shared.Text())
@click.option(
    "--session", metavar="SID", type=shared.Text(), help="The latest version of this session."
)
@click.option("--version", metavar="N", help="The version with this id.")
@click.option(
    "--to", metavar="FILE", type=shared.FileName(), help="Write this file, at once or not at all."
)
@click.option("--ui", is_flag=True, help="The UI half, workflow_data_ui.")
@click.option("--force", is_flag=True, help="Replace FILE where it exists.")
def command(
    run: Run,
    revision: str | None,
    session: str | None,
    version: str | None,
    to: str | None,
    ui: bool,
    force: bool,
) -> None:
    """Give back a version exactly as it was saved.

    Writes the exact bytes of the file that was saved or captured; for a version that was saved as
    values the compact JSON text. Goes to stdout without --to. An existing FILE is kept unless
    --force is given. How to write REV is in docs/revisions.md.

    \b
      casstore restore --session demo --to wf.json
      casstore restore demo~2 --to wf.json
      casstore restore --version 12 | jq .
    """
    if sum(named is not None for named in (revision, session, version)) != 1:
        raise UsageError("name exactly one of REV, --session SID and --version N")
    number = None if version is None else _version_id(version)
    to = None if to == files.STDIN else to
    if to is None and force:
        raise UsageError("--force goes with --to FILE; stdout needs none")
    if to is None and run.json and ui:
        raise UsageError("--json gives both halves; leave --ui out, or add --to FILE")
    with run.open_store() as store:
        if revision is not None:
            number = run.version(store, revision).id
        row, data, half = store.restore_texts(number, session)
        if to is None and run.json:
            run.write(row_json(row, data, half))
            return
        content = _content(store, row, half if ui else data, ui)
    if to is None:
        _print(run, content)
        return
    files.write(to, content, force=force)
    run.answer(
        {
            "version_id": row.id,
            "session_id": row.session,
            "created_at": row.created_at,
            "to": to,
            "size": len(content),
        },
        f"wrote version {row.id} to {to} ({size(len(content))})",
    )


def _version_id(text: str) -> int:
    # int() would also take "1_0", " 1 " and digits of other scripts
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise UsageError(f"--version takes a positive integer such as 42, not {text!r}")
    return int(text)


def _content(store: Store, row: VersionRow, half: Payload, ui: bool) -> bytes:
    """The bytes to give back: those of the captured file where it holds this half, else the
    document."""
    if half is None:
        name, hint = ("workflow_data_ui", "leave --ui out") if ui else ("workflow_data", "try --ui")
        raise NothingThere(f"version {row.id} has no {name}; {hint}", version_id=row.id)
    payload = half[0]
    if row.source is not None:
        source = store.restore_source(row.id)
        # else the document was changed by SQL after the capture
        if source is not None and (payload == _NO_DOCUMENT or source.endswith(payload)):
            return source
    elif payload == _NO_DOCUMENT and _was_absent(row.attributes):
        raise NothingThere(
            f"version {row.id} says that {row.path or 'its file'} did not exist, so there are no "
            f"bytes to give back",
            version_id=row.id,
        )
    return payload


def _was_absent(attributes: str | None) -> bool:
    try:
        value = jsontext.loads(attributes or "null", unique_keys=False, where="attributes")
    except InvalidDocument:  # taken over as it was
        return False
    return isinstance(value, dict) and value.get("format") == "absent"


def _print(run: Run, content: bytes) -> None:
    """Writes to stdout: the exact bytes, or on a terminal what does not upset it."""
    if run.is_terminal:
        if _upsets_terminal(content):
            raise UsageError("the content is binary and stdout is a terminal; add --to FILE")
        content = content.rstrip(b"\n") + b"\n"
    run.write(content)


def _upsets_terminal(content: bytes) -> bool:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return True
    return any((c < " " and c not in "\t\r\n") or "\x7f" <= c <= "\x9f" for c in text)
