"""Payloads to zstd frames and back: what comes out is what went in, or `Damaged`.

A frame is whole, or a delta with its base's payload as raw-content dictionary. Decoding trusts
nothing: zstandard allocates what a frame's header declares and ignores ``max_output_size``, so
the declared size is compared with the expected one, and both with a cap, before decoding.
"""

from __future__ import annotations

from casstore import _zstandard
from casstore.documents import MAX_PAYLOAD
from casstore.errors import Damaged

LEVEL = 3
"""Level 1's hash table is too small to find the base; higher levels gain little on JSON."""

# Above this many bytes of base and payload, level 3's tables are too small as well.
_LARGE = 1 << 20


def compress(payload: bytes, base: bytes | None = None) -> bytes:
    """One frame with checksum and content size; a delta where ``base`` is given."""
    zstd = _zstandard.load()
    if base is None:
        return zstd.ZstdCompressor(level=LEVEL, write_checksum=True).compress(payload)  # type: ignore[no-any-return]
    dictionary = zstd.ZstdCompressionDict(base, dict_type=zstd.DICT_TYPE_RAWCONTENT)
    if len(base) + len(payload) <= _LARGE:
        compressor = zstd.ZstdCompressor(level=LEVEL, dict_data=dictionary, write_checksum=True)
    else:
        compressor = zstd.ZstdCompressor(
            dict_data=dictionary, compression_params=_large_parameters(zstd, base, payload)
        )
    return compressor.compress(payload)  # type: ignore[no-any-return]


def _large_parameters(zstd: object, base: bytes, payload: bytes) -> object:
    """One slot for every four bytes of the base or more, and a window over both.

    Measured on one edit in 2 MB of random base64: 787,064 bytes at level 3's own parameters,
    221 so; on 5 MB 3.9 MB and 509. The fast strategy has one table (16 bits per slot less than
    two) and is the quickest that finds the match.
    """
    return zstd.ZstdCompressionParameters.from_level(  # type: ignore[attr-defined]
        LEVEL,
        window_log=min(27, max(10, (len(base) + len(payload)).bit_length())),
        hash_log=max(17, min(26, len(base).bit_length() - 2)),
        strategy=zstd.STRATEGY_FAST,  # type: ignore[attr-defined]
        min_match=7,
        write_checksum=True,
        write_content_size=True,
    )


def decompress(frame: bytes, size: int, base: bytes | None = None) -> bytes:
    """The payload of ``size`` bytes. Raises `Damaged` for anything but one whole frame of
    exactly that declared and real size.
    """
    zstd = _zstandard.load()
    try:
        declared = zstd.get_frame_parameters(frame).content_size
        if declared != size or not 0 <= size <= MAX_PAYLOAD:
            raise Damaged(f"a frame declares {declared:,} bytes where {size:,} are expected")
        if base is None:
            decompressor = zstd.ZstdDecompressor()
        else:
            dictionary = zstd.ZstdCompressionDict(base, dict_type=zstd.DICT_TYPE_RAWCONTENT)
            decompressor = zstd.ZstdDecompressor(dict_data=dictionary)
        payload: bytes = decompressor.decompress(frame, allow_extra_data=False)
    except zstd.ZstdError as error:
        raise Damaged(f"a frame does not decode: {error}") from None
    if len(payload) != size:
        raise Damaged(f"a frame decodes to {len(payload):,} bytes where {size:,} are expected")
    return payload
