"""A line of edits over chains of deltas, with what was put, to compare and to damage."""

from __future__ import annotations

import random
from typing import Any

from casstore.backends.memory import MemoryBackend
from casstore.chains import MAX_DEPTH, Chains
from casstore.digests import sha256
from casstore.records import BINARY, Blob, Document


def document(payload: bytes) -> Document:
    """A document of any bytes."""
    return Document(payload, BINARY, sha256(payload), None)


def edits(count: int, seed: int = 1, size: int = 4000) -> list[bytes]:
    """Successive edits of a text that looks like a workflow's: each changes a few bytes."""
    rng = random.Random(seed)
    text = bytearray(b"".join(b'{"id":%d,"v":%d},' % (n, rng.getrandbits(40)) for n in range(200)))
    made = [bytes(text[:size])]
    for _ in range(count):
        at = rng.randrange(size - 20)
        text[at : at + 8] = b"%08d" % rng.randrange(10**8)
        made.append(bytes(text[:size]))
    return made


class Line:
    """Chains over a memory backend, with what was put."""

    def __init__(self) -> None:
        self.backend = MemoryBackend()
        self.chains = Chains(self.backend)
        self.put_so_far: dict[int, bytes] = {}

    def put(self, payload: bytes, near: int | None = None, *, loose: bool = False) -> int:
        put = self.chains.put_loose if loose else self.chains.put
        with self.backend.transaction():
            blob_id, _ = put(document(payload), near)
        self.put_so_far[blob_id] = payload
        return blob_id

    def pack(self, limit: int = 10**6) -> None:
        for blob in self.backend.loose_blobs(limit):
            with self.backend.transaction():
                self.chains.pack(blob, document(blob.data))

    def blobs(self) -> list[Blob]:
        return [self.backend.chain(blob_id)[0] for blob_id in sorted(self.put_so_far)]

    def change(self, blob_id: int, **fields: Any) -> None:
        """Changes stored fields behind everybody's back."""
        blobs = self.backend.data.committed.blobs
        blobs[blob_id] = blobs[blob_id]._replace(**fields)

    def assert_exact(self) -> None:
        """Every payload comes back, through a memory of its own that is empty."""
        for blob_id, payload in self.put_so_far.items():
            assert Chains(self.backend).payload(blob_id) == (payload, BINARY)

    def assert_short(self) -> None:
        """No chain is longer than `MAX_DEPTH`, nor than its blob says."""
        for blob in self.blobs():
            links = len(self.backend.chain(blob.id)) - 1
            assert links <= blob.depth <= MAX_DEPTH, blob.id
