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


_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def moment(text: str | None) -> int | None:
    """Milliseconds since the epoch of a time that a version carries; None where it is no time.

    Reads ISO 8601 as `timestamp` writes it and what other programs put into the documented table:
    a blank for the ``T``, up to nine digits of a second, ``Z`` or an offset, a date alone (its
    first moment), and digits alone as seconds since the epoch (from 12 digits on, milliseconds).
    A time without an offset is UTC, as SQLite's own ``CURRENT_TIMESTAMP`` is.
    """
    if not isinstance(text, str) or len(text) > 40 or not text.isascii():
        return None
    if text.isdigit() and 9 <= len(text) <= 15:
        return int(text) if len(text) >= 12 else int(text) * 1000
    parts = calendar_parts(text)
    if parts is None:
        return None
    *fields, milliseconds, offset = parts
    days = _days(fields[0], fields[1], fields[2])
    if days is None:
        return None
    seconds = days * 86400 + fields[3] * 3600 + fields[4] * 60 + fields[5]
    return (seconds - (offset or 0) * 60) * 1000 + milliseconds


def calendar_parts(text: str) -> tuple[int, int, int, int, int, int, int, int | None] | None:
    """Year, month, day, hour, minute, second, millisecond and the offset from UTC in minutes
    (None where there is none) of an ISO 8601 text; None where it is no such text. Does not check
    how many days the month has."""
    date, clock = text[:10], text[10:]
    if len(date) < 10 or date[4] != "-" or date[7] != "-":
        return None
    y, mo, d = _number(date[:4]), _number(date[5:7]), _number(date[8:])
    if y is None or mo is None or d is None or not (y and 1 <= mo <= 12 and 1 <= d <= 31):
        return None
    if not clock:
        return y, mo, d, 0, 0, 0, 0, None
    if clock[0] not in "T ":
        return None
    day, offset = _without_offset(clock[1:])
    if day is None:
        return None
    clock, point, fraction = day.partition(".")
    if point and not (_number(fraction) is not None and len(fraction) <= 9):
        return None
    pieces = clock.split(":")
    numbers = [_number(piece) if len(piece) == 2 else None for piece in pieces]
    if None in numbers or not 2 <= len(numbers) <= 3 or (point and len(numbers) < 3):
        return None
    h, mi, s = ([*numbers, 0] if len(numbers) == 2 else numbers)[:3]
    if not (h < 24 and mi < 60 and s <= 60):  # type: ignore[operator]
        return None
    return y, mo, d, h, mi, s, int((fraction + "000")[:3]), offset  # type: ignore[return-value]


def _without_offset(clock: str) -> tuple[str | None, int | None]:
    """A time of day without its offset from UTC, and the offset in minutes."""
    if clock.endswith("Z"):
        return clock[:-1], 0
    at = max(clock.rfind("+"), clock.rfind("-"))
    if at < 0:
        return clock, None
    digits = clock[at + 1 :].replace(":", "")
    minutes = _number(digits)
    if minutes is None or len(digits) not in (2, 4):
        return None, None
    if len(digits) == 2:
        minutes *= 100
    total = minutes // 100 * 60 + minutes % 100
    if total >= 24 * 60 or minutes % 100 > 59:
        return None, None
    return clock[:at].rstrip(" "), -total if clock[at] == "-" else total


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _days(year: int, month: int, day: int) -> int | None:
    """Days from the epoch to a date of the Gregorian calendar; None where there is no such."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    length = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    if day > length:
        return None
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 - 719162
    return days + _DAYS_BEFORE[month - 1] + (1 if leap and month > 2 else 0) + day - 1
