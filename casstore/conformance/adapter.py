"""The suite as pytest tests: one test of each check, skipped where a capability is missing.

from casstore.conformance.adapter import EVERY_CHECK, verify

@EVERY_CHECK
def test_my_backend(check, tmp_path):
    verify(check, Subject(make, reopen=again))
"""

from __future__ import annotations

import pytest

from casstore.conformance import CHECKS
from casstore.conformance.checks import FAILED, SKIPPED, perform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.conformance.checks import Check
    from casstore.conformance.subject import Subject

EVERY_CHECK = pytest.mark.parametrize("check", CHECKS, ids=str)
"""Gives a test function each check in turn as its argument ``check``."""


def verify(check: Check, subject: Subject) -> None:
    """Fails or skips the running test as the check says."""
    outcome = perform(check, subject)
    if outcome.result == SKIPPED:
        pytest.skip(outcome.reason)
    if outcome.result == FAILED:
        pytest.fail(f"{check.promise}\n{outcome.reason}", pytrace=False)
