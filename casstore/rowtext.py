"""The documented row as one JSON object, with the stored JSON texts copied in as they are."""

from __future__ import annotations

from casstore import jsontext
from casstore.errors import InvalidDocument
from casstore.records import EXACT_JSON, JSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.records import VersionRow

    Payload = tuple[bytes, int] | None


def row_json(row: VersionRow, data: Payload, ui: Payload) -> bytes:
    """``{"version_id", "session_id", "workflow_data", "workflow_data_ui", "attributes",
    "created_at"}`` and a line end, as UTF-8. Nothing is parsed but the attributes, and what was
    saved keeps every digit."""
    return b"".join(
        (
            b'{"version_id":%d,"session_id":' % row.id,
            jsontext.dumps(row.session),
            b',"workflow_data":',
            _document(data),
            b',"workflow_data_ui":',
            _document(ui),
            b',"attributes":',
            _attributes(row.attributes),
            b',"created_at":',
            jsontext.dumps(row.created_at),
            b"}\n",
        )
    )


def _document(payload: Payload) -> bytes:
    """Text that is no JSON (it was taken over so) becomes a JSON string."""
    if payload is None:
        return b"null"
    text, codec = payload
    if codec in (JSON, EXACT_JSON):
        return text
    return jsontext.dumps(text.decode("utf-8", "surrogateescape"))


def _attributes(text: str | None) -> bytes:
    if text is None:
        return b"null"
    try:
        jsontext.loads(text, unique_keys=False)
    except InvalidDocument:
        return jsontext.dumps(text)
    return text.encode("utf-8", "surrogatepass")
