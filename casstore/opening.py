"""Opens stores for people and programs: finds the file, makes it, takes a plain one over.

The one place of the library that looks at the environment, and only where no path is given.
"""

from __future__ import annotations

import os

from casstore.backends.sqlite import schema
from casstore.backends.sqlite.backend import DEFAULT_TIMEOUT, SqliteBackend
from casstore.errors import FormatNotSupported, StoreBusy
from casstore.inbox import pending
from casstore.location import store_path
from casstore.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.takeover import Progress


def open_store(
    path: str | os.PathLike[str] | None = None,
    *,
    create: bool = True,
    timeout: float = DEFAULT_TIMEOUT,
    loose: bool = False,
    progress: Progress | None = None,
) -> Store:
    """The store at ``path``; without one, where `casstore.location.store_path` says.

    A missing store is made unless ``create`` is false (then `NoStore`). A plain SQLite file with
    the documented ``workflow_version`` table is taken over in place, after a backup copy beside
    it; ``progress`` is told how far that is. ``timeout``: seconds to wait for another process's
    lock before `StoreBusy`. ``loose``: see `Store`.
    """
    where = store_path(os.environ, os.getcwd()) if path is None else os.path.abspath(path)
    backend = SqliteBackend(where, timeout=timeout)
    try:
        kind = backend.identify(create=create)
        if kind == schema.PLAIN:
            from casstore.takeover import take_over

            backend.close()
            take_over(where, timeout=timeout, progress=progress)
            backend = SqliteBackend(where, timeout=timeout)
            kind = backend.identify(create=False)
        if kind == schema.EMPTY:
            raise FormatNotSupported(f"the file at {where} is empty; the first save makes a store")
    except BaseException:
        backend.close()
        raise
    return Store(backend, loose=loose, before_read=_settle_what_waits)


def _settle_what_waits(store: Store) -> None:
    """What the hook captured becomes versions before anything is read, so that the latest version
    is the latest. Raises `StoreBusy` where that would have to wait for too long; other failures
    (a full disk, a read-only folder) must not keep anybody from what is stored already, and
    ``casstore inbox`` tells of them."""
    if pending(store.location):
        from casstore.settle import settle

        problem = settle(store).problem
        if isinstance(problem, StoreBusy):
            raise problem
