"""Stores payloads as short chains of deltas and rebuilds them: what is put is what comes back.

Every blob is decoded again before its transaction commits. Chains are bounded by `MAX_DEPTH`; their
shape follows a payload's *position* in its line of edits: most deltas are against the payload just
before, every 16th against the 16th before, every 128th against the 128th before. So the way from
any payload back to a whole one is short, and a whole one is needed about once in 5,000 edits.
"""

from __future__ import annotations

from collections import OrderedDict

from casstore import codec
from casstore.digests import sha256
from casstore.errors import Damaged
from casstore.records import DELTA, LOOSE, WHOLE, Blob

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from casstore.backends.base import Backend, BlobHeader
    from casstore.records import Document

MAX_DEPTH = 64
"""Deltas decoded on top of a whole frame, at most."""

# Bytes per version of blob data, 400 edits of the median / p90 / largest template, and the depth
# reached: a whole frame every 32: 117 / 364 / 414 (31); these strides: 80 / 108 / 127 (24).
STRIDES = (128, 16)

# A delta this much smaller than its payload is taken without making the whole frame to compare:
# JSON of workflows shrinks 3 to 10 times by itself.
_SURELY_SMALL = 32

_CACHE_BYTES = 16 * 1024 * 1024


class Chains:
    """Payloads over one backend. Keeps recently used ones in memory, keyed by digest: a blob id
    may come to mean another blob, a digest cannot. Calls belong inside the backend's
    ``transaction()`` (`put`, `put_loose`, `pack`) or ``reading()`` (`payload`)."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._recent: OrderedDict[bytes, bytes] = OrderedDict()
        self._recent_bytes = 0

    def put(self, document: Document, near: int | None) -> tuple[int, bool]:
        """Stores a document, as a delta where that pays. ``near`` is the blob of the version
        before it. Returns the blob's id and whether it was there already."""
        found = self._backend.find_blob(document.digest)
        if found is not None:
            self._heal(found, document)
            return found, True
        base, position = self._base_for(near)
        blob = self._encoded(document, base, position)
        self._remember(document.digest, document.payload)
        return self._backend.add_blob(blob), False

    def _heal(self, blob_id: int, document: Document) -> None:
        """Stores a known blob anew where its stored bytes are damaged: who is told that a save is
        done must get it back. Raises `Damaged` where that does not help."""
        try:
            self.payload(blob_id)
        except Damaged:
            header = self._header(blob_id)
            whole = self._encoded(document, None, header.position)
            # blobs stored on top of this one have counted its depth
            self._backend.replace_blob(whole._replace(id=blob_id, depth=header.depth))
            self.payload(blob_id)

    def put_loose(self, document: Document, near: int | None) -> tuple[int, bool]:
        """Stores a document as it is, remembering what to pack it against."""
        found = self._backend.find_blob(document.digest)
        if found is not None:
            return found, True
        base, position = self._base_for(near)
        blob = Blob(
            0,
            document.digest,
            document.content_hash,
            len(document.payload),
            document.codec,
            LOOSE,
            base.id if base else None,
            base.depth + 1 if base else 0,
            position,
            document.payload,
        )
        return self._backend.add_blob(blob), False

    def pack(self, blob: Blob, document: Document) -> None:
        """Stores the loose ``blob``, whose complete document is given, in its packed form."""
        packed = self._encoded(document, self._base_of(blob), blob.position)
        if packed.encoding == WHOLE:
            # blobs stored on top of this one have counted its depth as it was announced
            packed = packed._replace(depth=blob.depth)
        self._backend.replace_blob(packed._replace(id=blob.id))

    def _base_of(self, blob: Blob) -> BlobHeader | None:
        try:
            return None if blob.base is None else self._header(blob.base)
        except Damaged:
            return None

    def payload(self, blob_id: int, *, walking: bool = False) -> tuple[bytes, int]:
        """The payload of a blob and its codec. Raises `Damaged` where the stored bytes do not
        give back what was saved. ``walking``: the blobs on the way there will be asked for next,
        as by a walk over a history, so they are verified and kept too."""
        chain = self._backend.chain(blob_id)
        top = chain[0]
        recent = self._recent.get(top.digest)
        if recent is not None:
            return recent, top.codec
        try:
            payload = self._rebuild(chain, walking)
        except Damaged as error:
            raise Damaged(
                f"blob {blob_id} in {self._backend.location} is damaged: {error.message}",
                blob=blob_id,
            ) from None
        self._remember(top.digest, payload)
        return payload, top.codec

    def _rebuild(self, chain: Sequence[Blob], walking: bool) -> bytes:
        payload: bytes | None = None
        start = len(chain)
        for step, blob in enumerate(chain):
            payload = self._recent.get(blob.digest)
            if payload is not None:
                start = step
                break
        for step in range(start - 1, -1, -1):
            blob = chain[step]
            if type(blob.data) is not bytes or type(blob.size) is not int:
                raise Damaged(f"blob {blob.id} holds values of a wrong type")
            if payload is None and blob.encoding == DELTA:
                raise Damaged("its chain has no start")
            if blob.encoding == LOOSE:
                payload = blob.data
            elif blob.encoding in (WHOLE, DELTA):
                base = payload if blob.encoding == DELTA else None
                payload = codec.decompress(blob.data, blob.size, base)
            else:
                raise Damaged(f"blob {blob.id} has the unknown encoding {blob.encoding}")
            if walking and step and sha256(payload) == blob.digest:
                self._remember(blob.digest, payload)
        if payload is None or sha256(payload) != blob.digest:
            raise Damaged("its bytes do not have its digest")
        return payload

    def _base_for(self, near: int | None) -> tuple[BlobHeader | None, int]:
        """The blob to make a delta against, and the new blob's position. A damaged one is none:
        what is saved after it must not suffer from it."""
        if near is None:
            return None, 0
        try:
            header = self._header(near)
            position = header.position + 1
            for stride in STRIDES:
                if position % stride == 0:
                    far = self._ancestor(header, position - stride)
                    if far is not None:
                        header = far
                        break
        except Damaged:
            return None, 0
        return (header, position) if header.depth < MAX_DEPTH else (None, 0)

    def _ancestor(self, header: BlobHeader, position: int) -> BlobHeader | None:
        for _ in range(MAX_DEPTH):
            if header.position <= position or header.base is None:
                break
            header = self._header(header.base)
        return header if header.position == position else None

    def _header(self, blob_id: int) -> BlobHeader:
        header = self._backend.blob_header(blob_id)
        if type(header.position) is not int or type(header.depth) is not int:
            raise Damaged(f"blob {blob_id} holds values of a wrong type", blob=blob_id)
        return header

    def _encoded(self, document: Document, base: BlobHeader | None, position: int) -> Blob:
        payload = document.payload
        data, encoding = None, WHOLE
        base_payload = self._base_payload(base)
        if base_payload is not None:
            data, encoding = codec.compress(payload, base_payload), DELTA
        if data is None or len(data) * _SURELY_SMALL > len(payload):
            whole = codec.compress(payload)
            if data is None or len(data) * 2 > len(whole):
                data, encoding, base, base_payload, position = whole, WHOLE, None, None, 0
        if codec.decompress(data, len(payload), base_payload) != payload:
            raise Damaged("a frame just made does not decode to its payload; nothing was stored")
        return Blob(
            0,
            document.digest,
            document.content_hash,
            len(payload),
            document.codec,
            encoding,
            base.id if base else None,
            base.depth + 1 if base else 0,
            position,
            data,
        )

    def _base_payload(self, base: BlobHeader | None) -> bytes | None:
        if base is None:
            return None
        recent = self._recent.get(base.digest)
        if recent is not None:
            return recent
        try:
            return self.payload(base.id)[0]
        except Damaged:
            return None  # as in `_base_for`

    def _remember(self, digest: bytes, payload: bytes) -> None:
        old = self._recent.pop(digest, None)
        self._recent_bytes += len(payload) - (len(old) if old is not None else 0)
        self._recent[digest] = payload
        while self._recent_bytes > _CACHE_BYTES and len(self._recent) > 1:
            self._recent_bytes -= len(self._recent.popitem(last=False)[1])
