"""What a backend's author hands in: how to make a backend, and what else it can do.

Capabilities follow from what is given: the checks that need one are skipped where it is missing,
and the report says so.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from casstore.backends.base import Backend

REOPEN = "reopen"
"""A second backend object can be opened on a store, at the same time or after a close."""

FORK = "fork"
"""The processes have ``os.fork``, and a child can use the store of its parent."""


class Subject:
    """The backend under test. Every backend it makes is closed by `close`.

    ``make`` gives a backend over a new, empty store. ``reopen`` gives another backend object over
    the store of the one given, open or closed; its transactions should give up after a second or
    less, since checks wait for that. ``fork`` says that a forked child may use the backend.
    """

    def __init__(
        self,
        make: Callable[[], Backend],
        *,
        reopen: Callable[[Backend], Backend] | None = None,
        fork: bool = False,
    ) -> None:
        self._make = make
        self._reopen = reopen
        self._opened: list[Backend] = []
        given = ((REOPEN, reopen is not None), (FORK, fork))
        self.capabilities = frozenset(name for name, present in given if present)

    def fresh(self) -> Backend:
        """A backend over a new, empty store."""
        backend = self._make()
        self._opened.append(backend)
        return backend

    def again(self, backend: Backend) -> Backend:
        """Another backend object over the same store."""
        assert self._reopen is not None, "the check needs the capability REOPEN"
        other = self._reopen(backend)
        self._opened.append(other)
        return other

    def close(self) -> None:
        """Closes everything that was opened."""
        while self._opened:
            self._opened.pop().close()
