"""casstore: a content-addressed snapshot store with compression for ComfyUI workflows.

    with casstore.open_store() as store:
        saved = store.save("my-session", workflow)
        workflow = store.restore(session_id="my-session").workflow_data

Importing this package imports neither orjson, zstandard, click nor sqlite3; names load on use.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.errors import (
        CasstoreError,
        Damaged,
        DocumentTooLarge,
        FormatNotSupported,
        InvalidDocument,
        InvalidSession,
        InvalidVersion,
        NoStore,
        NotFound,
        SessionNotFound,
        StorageFailed,
        StoreBusy,
        UsageError,
        VersionNotFound,
    )
    from casstore.opening import open_store
    from casstore.records import SavedVersion, SessionInfo, StoreInfo, Version, VersionInfo
    from casstore.sqlview import connect
    from casstore.store import Store

__version__ = "0.1.0"

_HOME = {
    "open_store": "casstore.opening",
    "connect": "casstore.sqlview",
    "Store": "casstore.store",
    **dict.fromkeys(
        ("SavedVersion", "SessionInfo", "StoreInfo", "Version", "VersionInfo"), "casstore.records"
    ),
    **dict.fromkeys(
        (
            "CasstoreError",
            "Damaged",
            "DocumentTooLarge",
            "FormatNotSupported",
            "InvalidDocument",
            "InvalidSession",
            "InvalidVersion",
            "NoStore",
            "NotFound",
            "SessionNotFound",
            "StorageFailed",
            "StoreBusy",
            "UsageError",
            "VersionNotFound",
        ),
        "casstore.errors",
    ),
}

__all__ = [
    "CasstoreError",
    "Damaged",
    "DocumentTooLarge",
    "FormatNotSupported",
    "InvalidDocument",
    "InvalidSession",
    "InvalidVersion",
    "NoStore",
    "NotFound",
    "SavedVersion",
    "SessionInfo",
    "SessionNotFound",
    "StorageFailed",
    "Store",
    "StoreBusy",
    "StoreInfo",
    "UsageError",
    "Version",
    "VersionInfo",
    "VersionNotFound",
    "connect",
    "open_store",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'casstore' has no attribute {name!r}")
    value = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
