"""One suite that every backend passes: the contract of `casstore.backends.base`, tested.

    from casstore import conformance

    report = conformance.run(make_backend, reopen=open_again)
    print(report)

Needs no test framework. `casstore.conformance.adapter` makes one pytest test of each check.
"""

from __future__ import annotations

from casstore.conformance import blobs, durability, finding, marks, pages, transactions, versions
from casstore.conformance.checks import Check, Outcome, Report, checks_of, perform
from casstore.conformance.subject import FORK, REOPEN, Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from casstore.backends.base import Backend

__all__ = ["CHECKS", "FORK", "REOPEN", "Check", "Outcome", "Report", "Subject", "perform", "run"]

CHECKS = checks_of((blobs, versions, finding, marks, pages, transactions, durability))
"""Every check, in the order of the contract."""


def run(
    make_backend: Callable[[], Backend],
    *,
    reopen: Callable[[Backend], Backend] | None = None,
    fork: bool = False,
) -> Report:
    """Every check, each against new stores from ``make_backend``; the arguments are `Subject`'s."""
    subject = Subject(make_backend, reopen=reopen, fork=fork)
    return Report(tuple(perform(check, subject) for check in CHECKS))
