"""What a check is, how a module of checks names its own, and what a run of them reports."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType
    from typing import NamedTuple

    from casstore.conformance.subject import Subject
else:
    from casstore._namedtuple import NamedTuple

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Check(NamedTuple):
    """One promise of the contract and the function that tests it."""

    group: str
    name: str
    promise: str
    """The contract's sentence: the first line of the function's docstring."""
    needs: frozenset[str]
    """Capabilities without which the check says nothing."""
    function: Callable[[Subject], None]

    def __str__(self) -> str:
        return f"{self.group}-{self.name}"


class Outcome(NamedTuple):
    """What one check found; ``reason`` is empty where it passed."""

    check: Check
    result: str
    """`PASSED`, `FAILED` or `SKIPPED`."""
    reason: str


class Report(NamedTuple):
    """All outcomes of one run. ``str(report)`` is for people."""

    outcomes: tuple[Outcome, ...]

    @property
    def ok(self) -> bool:
        """True where no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The checks that found a broken promise."""
        return tuple(outcome for outcome in self.outcomes if outcome.result == FAILED)

    @property
    def skipped(self) -> tuple[Outcome, ...]:
        """The checks that need a capability the backend did not declare."""
        return tuple(outcome for outcome in self.outcomes if outcome.result == SKIPPED)

    def __str__(self) -> str:
        lines = [
            f"{outcome.result:8}{outcome.check}: {outcome.check.promise}"
            + (f"\n        {outcome.reason}" if outcome.reason else "")
            for outcome in self.outcomes
        ]
        passed = len(self.outcomes) - len(self.failed) - len(self.skipped)
        total = f"{passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"
        return "\n".join([*lines, total])


_NEEDS = "__conformance_needs__"


def needs(*capabilities: str) -> Callable[[Callable[[Subject], None]], Callable[[Subject], None]]:
    """Marks a check that says nothing about a backend without these capabilities."""

    def mark(function: Callable[[Subject], None]) -> Callable[[Subject], None]:
        setattr(function, _NEEDS, frozenset(capabilities))
        return function

    return mark


def checks_of(modules: Iterable[ModuleType]) -> tuple[Check, ...]:
    """The functions named ``check_…`` of these modules, in the order they are written."""
    return tuple(
        Check(
            module.__name__.rpartition(".")[2],
            name.removeprefix("check_"),
            (function.__doc__ or "").partition("\n")[0],
            getattr(function, _NEEDS, frozenset()),
            function,
        )
        for module in modules
        for name, function in vars(module).items()
        if name.startswith("check_")
    )


def perform(check: Check, subject: Subject) -> Outcome:
    """Runs one check and closes what it opened."""
    missing = check.needs - subject.capabilities
    if missing:
        return Outcome(check, SKIPPED, f"the backend did not declare {', '.join(sorted(missing))}")
    try:
        check.function(subject)
    except Exception as error:  # whatever a backend throws is a finding
        return Outcome(check, FAILED, f"{type(error).__name__}: {error}")
    finally:
        subject.close()
    return Outcome(check, PASSED, "")
