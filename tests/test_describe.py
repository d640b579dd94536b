"""What somebody handed over instead of a workflow, in words that help."""

from __future__ import annotations

import collections
import decimal
import enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore.describe import bytes_kind, value_kind
from tests.support.strategies import ANY_VALUE


class _Color(enum.IntEnum):
    RED = 1


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "empty"),
        (b" \r\n\t", "nothing but white space"),
        (b"\x89PNG\r\n\x1a\n\x00", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"GIF89a", "a GIF image"),
        (b"RIFF\x00\x00\x00\x00WEBP", "a RIFF file (WebP, WAV or AVI)"),
        (b"%PDF-1.7", "a PDF document"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"\x1f\x8b\x08", "gzip-compressed data"),
        (b"\x28\xb5\x2f\xfd\x04", "zstd-compressed data"),
        (b"SQLite format 3\x00", "a SQLite database"),
        ("{}".encode("utf-16"), "UTF-16 text; save it as UTF-8"),
        ("{}".encode("utf-16-be") * 20, "UTF-16 text; save it as UTF-8"),
        (b"\xfe\xff\x00{", "UTF-16 text; save it as UTF-8"),
        ('{"nodes": []}'.encode("utf-16-le"), "UTF-16 text; save it as UTF-8"),
        (b"ab\x00cd", "binary data"),
        (b"<!DOCTYPE html><html>", "an HTML page, not JSON"),
        (b"\n\n <!doctype HTML>", "an HTML page, not JSON"),
        (b"\xef\xbb\xbf<html>", "an HTML page, not JSON"),
        (b"<?xml version='1.0'?>", "XML or HTML, not JSON"),
        (b"<svg>", "XML or HTML, not JSON"),
        (b'{"a": 1}', None),
        (b"[]", None),
        (b"hello", None),
        (b'{"a": "<html>"}', None),
        (b"\xef\xbb\xbf{}", None),
    ],
    ids=repr,
)
def test_bytes(data: bytes, kind: str | None) -> None:
    assert bytes_kind(data) == kind


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "a boolean"),
        (0, "a number"),
        (1.5, "a number"),
        (float("nan"), "a number"),
        ([], "a list"),
        ((1, 2), "a list"),
        ({}, "an object"),
        ("", "a string holding empty"),
        ("hello", "a string"),
        ('{"a": 1}', "a string holding JSON; parse it first"),
        (" \n[1]", "a string holding JSON; parse it first"),
        ("\ufeff{}", "a string holding JSON; parse it first"),
        ("<html>", "a string holding an HTML page, not JSON"),
        ("\ud83d", "a string"),
        (b"{}", "bytes holding text"),
        (bytearray(b"\x89PNG\r\n\x1a\n"), "bytes holding a PNG image"),
        (collections.OrderedDict(), "of type collections.OrderedDict"),
        (decimal.Decimal(1), "of type decimal.Decimal"),
        ({1}, "of type builtins.set"),
        (_Color.RED, "a number"),
        (object(), "of type builtins.object"),
    ],
    ids=repr,
)
def test_values(value: Any, kind: str) -> None:
    assert value_kind(value) == kind


@given(st.one_of(ANY_VALUE, st.binary()))
def test_everything_has_words_on_one_line(value: Any) -> None:
    words = value_kind(value)
    assert 0 < len(words) < 80
    assert words.isprintable()
    if isinstance(value, bytes):
        assert bytes_kind(value) is None or words == f"bytes holding {bytes_kind(value)}"
