"""Shared by the tests: exact comparison, strategies for JSON values, stores to test on."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""
