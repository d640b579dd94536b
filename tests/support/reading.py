"""What a document gives back, and hashes to compare it with."""

from __future__ import annotations

import hashlib
from typing import Any

from casstore import documents
from casstore.records import Document


def restored(document: Document) -> Any:
    """The value that the document's payload reads as."""
    return documents.value_of(document.payload, document.codec)


def sha256(data: bytes) -> bytes:
    """By the standard library, whatever casstore uses."""
    return hashlib.sha256(data).digest()


def nested_lists(levels: int) -> Any:
    """So many lists, one inside the other."""
    value: Any = []
    for _ in range(levels - 1):
        value = [value]
    return value
