"""Times as casstore writes them, without ``import datetime``."""

from __future__ import annotations

import time


def timestamp(nanoseconds: int | None = None) -> str:
    """A point in time (default: now; nanoseconds since the epoch) as ISO 8601 in UTC with
    milliseconds: ``2026-01-31T12:00:00.000+00:00``. ``datetime.fromisoformat`` reads it, also
    that of Python 3.10, which knows no ``Z``. Sorting the text sorts the times."""
    if nanoseconds is None:
        nanoseconds = time.time_ns()
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    y, mo, d, h, mi, s = time.gmtime(seconds)[:6]
    return f"{y:04d}-{mo:02d}-{d:02d}T{h:02d}:{mi:02d}:{s:02d}.{rest // 1_000_000:03d}+00:00"
