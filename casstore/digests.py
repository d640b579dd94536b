"""SHA-256 without ``import hashlib``, which loads OpenSSL and costs 5 ms of a 12 ms start.

In a process that has hashlib already its faster implementation is used; the result is the same.
"""

from __future__ import annotations

import sys


def sha256(data: bytes) -> bytes:
    """The 32-byte SHA-256 of ``data``."""
    return _fast(data) if "hashlib" in sys.modules else _builtin(data)


def use_openssl() -> None:
    """Loads hashlib, whose SHA-256 is several times faster on long input, for a process that
    means to stay.
    """
    import hashlib  # noqa: F401


def _fast(data: bytes) -> bytes:
    import hashlib

    return hashlib.sha256(data, usedforsecurity=False).digest()


def _builtin(data: bytes) -> bytes:
    try:
        from _sha2 import sha256 as make  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        try:
            from _sha256 import sha256 as make  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            return _fast(data)
    digest: bytes = make(data).digest()
    return digest
