"""How a check says what it expected. Plain exceptions: no test framework, and not stripped by
``python -O`` as ``assert`` is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class BrokenPromise(AssertionError):
    """The backend did not do what the contract says; the message says what was seen instead."""


def same(seen: object, expected: object, what: str) -> None:
    """Raises `BrokenPromise` unless both are equal."""
    if seen != expected:
        raise BrokenPromise(f"{what}: expected {expected!r}, got {seen!r}")


def raises(kind: type[Exception], call: Callable[[], object], what: str) -> None:
    """Raises `BrokenPromise` unless the call raises this kind of error."""
    try:
        answer = call()
    except kind:
        return
    except Exception as error:
        raise BrokenPromise(
            f"{what}: expected {kind.__name__}, got {type(error).__name__}: {error}"
        ) from error
    raise BrokenPromise(f"{what}: expected {kind.__name__}, got the answer {answer!r}")
