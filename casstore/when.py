"""Reads the times that people type: ``2026-11-30T12:00``, ``10 minutes ago``, ``yesterday``.

A time without an offset is local time; a date alone is the first moment of that day; ``yesterday``
is 24 hours ago. Nothing here looks at a clock: the caller says what time it is.
"""

from __future__ import annotations

import time

from casstore.clock import calendar_parts, moment
from casstore.errors import UsageError

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_SHORT = {"s": "second", "sec": "second", "m": "minute", "min": "minute", "h": "hour"}
_SHORT |= {"hr": "hour", "d": "day", "w": "week"}
_WORDS = {"now": 0, "yesterday": 86400}
_MOST_DIGITS = 9

FORMS = "2026-11-30, 2026-11-30T12:00, 2026-11-30T12:00:00Z, '10 minutes ago', yesterday or now"


class InvalidTime(UsageError):
    """A time in no form that is known."""

    code = "invalid_time"


def when(text: str, now: int) -> int:
    """Milliseconds since the epoch; ``now`` is in the same. Raises `InvalidTime`."""
    words = text.lower().split()
    ago = _ago(words)
    if ago is not None:
        return now - ago * 1000
    parts = calendar_parts(text.strip().upper())
    if parts is not None:
        zoned = parts[7] is not None
        found = moment(text.strip().upper()) if zoned else _local(parts)
        if found is not None:
            return found
    raise InvalidTime(f"{text!r} is no time that casstore reads; write {FORMS}", text=text)


def _ago(words: list[str]) -> int | None:
    """Seconds before now."""
    if len(words) == 1:
        return _WORDS.get(words[0])
    if len(words) == 2 and words[1] == "ago":  # "10m ago"
        digits = words[0].rstrip("abcdefghijklmnopqrstuvwxyz")
        words = [digits, words[0][len(digits) :], "ago"]
    if len(words) != 3 or words[2] != "ago":
        return None
    number = 1 if words[0] in ("a", "an", "one") else _count(words[0])
    unit = _SHORT.get(words[1], words[1].removesuffix("s"))
    if number is None or unit not in _SECONDS:
        return None
    return number * _SECONDS[unit]


def _count(text: str) -> int | None:
    plain = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if plain else None


def _local(parts: tuple[int, int, int, int, int, int, int, int | None]) -> int | None:
    y, mo, d, h, mi, s, milliseconds, _ = parts
    if moment(f"{y:04d}-{mo:02d}-{d:02d}") is None:
        return None
    try:
        seconds = time.mktime((y, mo, d, h, mi, s, 0, 0, -1))
    except (OverflowError, ValueError):
        return None
    return int(seconds) * 1000 + milliseconds


def local_text(milliseconds: int | None, otherwise: str | None = None) -> str:
    """A moment for people: local time to the second; ``otherwise`` where it is none."""
    if milliseconds is None:
        return otherwise if otherwise is not None else "no time"
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(milliseconds // 1000))
    except (OverflowError, OSError, ValueError):
        return otherwise if otherwise is not None else str(milliseconds)
