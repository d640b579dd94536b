"""The one place where history asks what changed between two documents.

`casstore.workflow` answers; an installation without it still says that there was a change.
"""

from __future__ import annotations

from importlib import import_module

from casstore import documents
from casstore.digests import sha256
from casstore.errors import CasstoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WORKFLOW = "casstore.workflow"


def _workflow() -> Any:
    try:
        return import_module(_WORKFLOW)
    except ModuleNotFoundError as error:
        if error.name != _WORKFLOW:
            raise
        return None


def summary(before: Any, after: Any, width: int | None = None) -> str:
    """What differs, in a few words on one line of ``width`` characters at most (None: as many as
    it takes); ``no changes`` for equal documents."""
    workflow = _workflow()
    if workflow is not None:
        return str(workflow.summary(workflow.diff(before, after), width))
    return "no changes" if _identity(before) == _identity(after) else "changed"


def identity(document: Any) -> bytes:
    """32 bytes that are equal for documents that differ in looks only."""
    workflow = _workflow()
    return _identity(document) if workflow is None else bytes(workflow.identity(document))


def _identity(document: Any) -> bytes:
    try:
        return sha256(documents.canonical(document))
    except CasstoreError:
        return sha256(repr(document).encode("utf-8", "surrogatepass"))
