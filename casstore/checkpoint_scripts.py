"""What ``scripts/save.py`` and ``scripts/restore.py`` do: JSON in, one JSON object out.

A process that saves or restores once is mostly imports. So this path loads neither ``json`` nor
orjson nor zstandard's package: a save stores its document loose and a detached process packs it;
a restore copies the stored JSON text into its answer without parsing it. Errors are
``{"error": {"code", "message", …}}`` on stdout, with the exit code of the error's class.
"""

from __future__ import annotations

import os
import sys

from casstore import jsontext
from casstore.describe import bytes_kind, value_kind
from casstore.errors import CasstoreError, InvalidDocument, InvalidSession, UsageError
from casstore.rowtext import row_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

SAVE_KEYS = ("session_id", "workflow_data", "workflow_data_ui", "attributes")

SAVE_HELP = """usage: save.py < version.json

Saves one version of a ComfyUI workflow. Takes no arguments; reads one JSON object on stdin:
  {"session_id": "…", "workflow_data": {…}, "workflow_data_ui": {…}, "attributes": {…}}
The last two may be missing or null. Writes one JSON object:
  {"version_id": 1, "created_at": "2026-01-31T12:00:00.000+00:00", …}
The store is the file COMFYUI_AGENT_CHECKPOINT_DB names, else host/.cache/checkpoint.sqlite.
"""

RESTORE_HELP = """usage: restore.py --session-id SID | --version-id N

Writes one saved version as a JSON object: the latest of the session, or the one with this id:
  {"version_id", "session_id", "workflow_data", "workflow_data_ui", "attributes", "created_at"}
The store is the file COMFYUI_AGENT_CHECKPOINT_DB names, else host/.cache/checkpoint.sqlite.
"""


def save_main(arguments: Sequence[str]) -> int:
    """Runs ``save.py``; returns the exit code."""
    return _answer(lambda: _save(arguments))


def restore_main(arguments: Sequence[str]) -> int:
    """Runs ``restore.py``; returns the exit code."""
    return _answer(lambda: _restore(arguments))


def _answer(run: Callable[[], bytes]) -> int:
    """Writes what ``run`` gives, or its error, as UTF-8 bytes on every platform."""
    code = 0
    try:
        answer = run()
    except CasstoreError as error:
        answer, code = _error(error), error.exit_code
    except KeyboardInterrupt:
        answer = _error(CasstoreError("interrupted; nothing was saved", reason="interrupted"))
        code = 130
    except Exception as error:
        answer = _error(CasstoreError(f"unexpected {type(error).__name__}: {error}"))
        code = CasstoreError.exit_code
    try:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except OSError:  # the reader went away; a save is committed by now
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return code or 1
    return code


def _error(error: CasstoreError) -> bytes:
    return b'{"error":' + jsontext.dumps(_plain(error.as_dict())) + b"}\n"


def _plain(value: Any) -> Any:
    """Details as JSON values: an error about an odd value must not become another error."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return value if value is None or type(value) in (str, int, bool, float) else str(value)


def _save(arguments: Sequence[str]) -> bytes:
    if list(arguments) in (["--help"], ["-h"]):
        return SAVE_HELP.encode()
    if arguments:
        raise UsageError(
            f"save.py takes no arguments, got {arguments[0]!r}; "
            f"pass one JSON object on stdin (see save.py --help)"
        )
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("save.py reads one JSON object on stdin, which is a terminal; pipe it in")
    request, notes = _request(sys.stdin.buffer.read())

    from casstore.opening import open_store

    with open_store(loose=True) as store:
        saved = store.save(
            request["session_id"],
            request["workflow_data"],
            request.get("workflow_data_ui"),
            request.get("attributes"),
        )
        location = store.location
    _pack_later(location)
    answer: dict[str, Any] = {
        "version_id": saved.version_id,
        "created_at": saved.created_at,
        "deduplicated": saved.deduplicated,
    }
    if saved.content_hash is not None:
        answer["content_hash"] = saved.content_hash
    if notes:
        answer["notes"] = notes
    return jsontext.dumps(answer) + b"\n"


def _request(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """The request on stdin, checked as far as the store does not check it, and what to note."""
    kind = bytes_kind(data)
    if kind is not None:
        raise InvalidDocument(f"stdin is {kind}; pass one JSON object (see save.py --help)")
    notes = []
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
        notes.append("removed a byte order mark before the JSON on stdin")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidDocument(
            f"stdin is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}",
            offset=error.start,
        ) from None
    request = jsontext.loads(text, where="stdin")
    if not isinstance(request, dict):
        raise InvalidDocument(
            f"stdin must hold a JSON object with the keys {', '.join(SAVE_KEYS)}; "
            f"it is {value_kind(request)}"
        )
    unknown = [key for key in request if key not in SAVE_KEYS]
    if unknown:
        shown = unknown[0].encode("utf-8", "backslashreplace").decode()
        raise UsageError(
            f"unknown key {shown!r} on stdin; the keys are {', '.join(SAVE_KEYS)}",
            allowed=", ".join(SAVE_KEYS),
        )
    if "session_id" not in request:
        raise InvalidSession("session_id is missing on stdin; name the session of the version")
    if "workflow_data" not in request:
        raise InvalidDocument("workflow_data is missing on stdin; pass the workflow as an object")
    return request, notes


def _pack_later(location: str) -> None:
    """Starts the process that packs what was stored loose. It is only compression that waits, so
    a failure here changes nothing for the caller."""
    try:
        from casstore.detach import start_settling

        start_settling(location)
    except Exception:
        return


def _restore(arguments: Sequence[str]) -> bytes:
    if list(arguments) in (["--help"], ["-h"]):
        return RESTORE_HELP.encode()
    version_id, session_id = _which(arguments)

    from casstore.opening import open_store

    with open_store(create=False, loose=True) as store:
        row, data, ui = store.restore_texts(version_id, session_id)
    return row_json(row, data, ui)


def _which(arguments: Sequence[str]) -> tuple[int | None, str | None]:
    words = list(arguments)
    if len(words) == 1:
        words = words[0].split("=", 1)
    if len(words) != 2 or words[0] not in ("--session-id", "--version-id"):
        raise UsageError(
            "restore.py takes exactly one of --session-id SID and --version-id N "
            "(see restore.py --help)"
        )
    if words[0] == "--session-id":
        return None, words[1]
    # int() would also take "1_0", " 1 " and digits of other scripts
    if not (words[1].isascii() and words[1].isdigit() and len(words[1]) < 20):
        raise UsageError(
            f"--version-id takes a positive integer such as 42, not {words[1]!r}; "
            f"save.py answers with one"
        )
    return int(words[1]), None
