"""``casstore sql``: SQL on the documented table, reading only unless asked otherwise."""

from __future__ import annotations

import click

from casstore.cli import files, shared
from casstore.errors import InvalidDocument, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from casstore.cli.rows import JsonRows, TableRows, TabRows
    from casstore.cli.run import Run

_MAX_SCRIPT = 256 * 1024 * 1024
_IN_MEMORY = 8 * 1024 * 1024  # bytes of results before they go to a temporary file


@shared.command(
    answers={
        "results": "a list, for each statement an object with the keys columns (names), rows "
        '(lists of values, a BLOB as {"hex": …}), changes (versions it changed) and inserted '
        "(id of the last version it inserted, else null)",
    }
)
@click.argument("statement", metavar="[STATEMENT]", type=shared.Text(), required=False)
@click.option("--write", is_flag=True, help="Let statements change versions.")
def command(run: Run, statement: str | None, write: bool) -> None:
    """Run SQL on the store.

    Takes one or more statements parted by semicolons, from stdin where STATEMENT is missing or -.
    The view workflow_version is the documented table: id, session_id, workflow_data,
    workflow_data_ui, attributes, created_at. workflow_version_meta has hashes and sizes.

    Statements can only read. With --write they can also insert into, update and delete from
    workflow_version, all of them or none; no other change is possible. Results are a table on a
    terminal, where long values are cut, and tab-separated lines elsewhere.

    \b
      casstore sql "SELECT id, created_at FROM workflow_version_meta ORDER BY id"
      casstore sql --write "DELETE FROM workflow_version WHERE session_id = 'x'"
    """
    from tempfile import SpooledTemporaryFile

    from casstore.cli.statements import run_all, split

    statements = split(_text(files.STDIN) if statement in (None, files.STDIN) else statement or "")
    if not statements:
        raise UsageError("there is no SQL statement; give one, or a script on stdin")
    with run.open_store() as store:  # there is one, and it is no plain table any more
        next(store.versions(), None)  # a read, which first takes in what the hook left
    # The results wait here until the last statement is done: a reader that pages through them
    # would hold the store's lock, and a statement that fails later leaves no half answer.
    with SpooledTemporaryFile(_IN_MEMORY) as results:
        sink = _sink(run, results)
        run_all(run.store_path, statements, write=write, sink=sink)
        sink.close()
        results.seek(0)
        while part := results.read(1024 * 1024):
            run.write(part)


def _text(name: str) -> str:
    data = files.read(name, _MAX_SCRIPT).removeprefix(b"\xef\xbb\xbf")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidDocument(
            f"{files.shown(name)} is not UTF-8 text: byte {error.start} is "
            f"{data[error.start]:#04x}",
            offset=error.start,
        ) from None


def _sink(run: Run, out: IO[bytes]) -> JsonRows | TableRows | TabRows:
    from casstore.cli.rows import JsonRows, TableRows, TabRows

    if run.json:
        return JsonRows(out)
    if run.is_terminal:
        return TableRows(out, width=run.width, color=run.color)
    return TabRows(out)
