"""Times are read as the standard library reads them, and nothing typed makes the reader fail."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.clock import moment, timestamp
from casstore.when import InvalidTime, local_text, when

NOW = 1_800_000_000_000

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MILLISECOND = timedelta(milliseconds=1)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("needs time.tzset")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@given(
    st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)),
    st.sampled_from(["T", " "]),
    st.sampled_from(["milliseconds", "microseconds", "seconds", "minutes"]),
    st.one_of(st.none(), st.integers(-14 * 60, 14 * 60)),
)
def test_moments_are_those_of_datetime(
    at: datetime, between: str, precision: str, offset: int | None
) -> None:
    zone = timezone.utc if offset is None else timezone(timedelta(minutes=offset))
    text = at.replace(tzinfo=None if offset is None else zone).isoformat(between, precision)
    expected = datetime.fromisoformat(text).replace(tzinfo=zone)
    assert moment(text) == (expected - EPOCH) // MILLISECOND


@given(st.integers(0, 253402300799_999))
def test_moments_of_own_times(milliseconds: int) -> None:
    assert moment(timestamp(milliseconds * 1_000_000)) == milliseconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-31", 1769817600_000),
        ("2026-01-31T12:00:00Z", 1769860800_000),
        ("2026-01-31 12:00:00.123456789", 1769860800_123),
        ("2026-01-31T12:00+0130", 1769860800_000 - 90 * 60_000),
        ("2026-01-31T12:00-02", 1769860800_000 + 120 * 60_000),
        ("1769860800", 1769860800_000),
        ("1769860800123", 1769860800_123),
        ("2026-02-29", None),
        ("2024-02-29", 1709164800_000),
        ("2026-13-01", None),
        ("2026-01-31T24:00", None),
        ("2026-01-31T12:00:00.", None),
        ("2026-01-31T12:00+99:00", None),
        ("２026-01-31", None),
        ("now", None),
        ("", None),
        ("12", None),
    ],
)
def test_moments_in_other_shapes(text: str, expected: int | None) -> None:
    assert moment(text) == expected


@given(st.text(max_size=50) | st.text("0123456789-:T .Z+", max_size=40))
def test_any_text_is_a_moment_or_none(text: str) -> None:
    assert moment(text) is None or isinstance(moment(text), int)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("now", 0),
        ("yesterday", 86400),
        ("10 minutes ago", 600),
        ("1 minute ago", 60),
        ("an hour ago", 3600),
        ("10m ago", 600),
        ("3d ago", 3 * 86400),
        ("2 Weeks AGO", 14 * 86400),
        ("0 s ago", 0),
    ],
)
def test_times_before_now(text: str, seconds: int) -> None:
    assert when(text, NOW) == NOW - seconds * 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-31T12:00", "2026-01-31T11:00:00.000+00:00"),
        ("2026-07-31 12:00:30", "2026-07-31T10:00:30.000+00:00"),
        ("2026-07-31", "2026-07-30T22:00:00.000+00:00"),
        ("2026-07-31T12:00Z", "2026-07-31T12:00:00.000+00:00"),
        ("2026-07-31t12:00:00.5+05:00", "2026-07-31T07:00:00.500+00:00"),
    ],
)
@pytest.mark.usefixtures("berlin")
def test_times_without_an_offset_are_local(text: str, expected: str) -> None:
    assert timestamp(when(text, NOW) * 1_000_000) == expected
    assert local_text(moment("2026-07-31T10:00:30Z")) == "2026-07-31 12:00:30"


@pytest.mark.parametrize(
    "text",
    ["", "ago", "1 month ago", "-1 days ago", "1.5 h ago", "tomorrow", "2026-02-30", "9" * 30],
)
def test_other_texts_are_no_times(text: str) -> None:
    with pytest.raises(InvalidTime, match="write 2026-11-30, 2026-11-30T12:00"):
        when(text, NOW)


@given(st.text(max_size=60) | st.text("0123456789 agohdmins-:TZ.", max_size=40))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidTime):
        assert isinstance(when(text, NOW), int)


def test_moments_out_of_range_are_shown_as_they_are() -> None:
    assert local_text(10**30, "as saved") == "as saved"
    assert local_text(None) == "no time"
