"""Every way casstore can fail, as one tree: a stable code, an exit code, a sentence to act on.

A message says what happened, to which object, and what to do. ``details`` carries the same
facts as plain JSON values, for programs.
"""

from __future__ import annotations


class CasstoreError(Exception):
    """The root. ``code`` is stable across releases; ``exit_code`` is what a process ends with."""

    code = "internal"
    exit_code = 1

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def as_dict(self) -> dict[str, object]:
        """The JSON form that the scripts print: ``{"code", "message", …details}``."""
        return {"code": self.code, "message": self.message, **self.details}


class UsageError(CasstoreError):
    """The call itself is wrong: an unknown argument, an unknown key, two exclusive options."""

    code = "usage"
    exit_code = 2


class InvalidDocument(CasstoreError):
    """A document cannot be kept exactly, or is not the kind of value that belongs there."""

    code = "invalid_document"
    exit_code = 2


class InvalidSession(CasstoreError):
    """A session label that is empty, not text, or holds characters no store can keep."""

    code = "invalid_session"
    exit_code = 2


class DocumentTooLarge(InvalidDocument):
    """A document above the size a store accepts (``details``: ``size``, ``limit`` in bytes)."""

    code = "document_too_large"


class MissingDependency(CasstoreError):
    """A library casstore needs is not installed for this interpreter."""

    code = "missing_dependency"


class NoStore(CasstoreError):
    """There is no store file where one was expected."""

    code = "no_store"
    exit_code = 10


class StoreBusy(CasstoreError):
    """Another process held the store's lock for longer than the busy timeout."""

    code = "busy"
    exit_code = 11


class FormatNotSupported(CasstoreError):
    """The file is not a casstore store, or one of a newer format than this release reads."""

    code = "format_not_supported"
    exit_code = 12


class NotFound(CasstoreError):
    """No version or session of that name."""

    code = "not_found"
    exit_code = 13


class VersionNotFound(NotFound):
    """No version has this id."""

    code = "version_not_found"


class SessionNotFound(NotFound):
    """The session has no version."""

    code = "session_not_found"


class StorageFailed(CasstoreError):
    """The disk is full, read-only or failing; nothing of the failed action was kept."""

    code = "storage_failed"
    exit_code = 14


class Damaged(CasstoreError):
    """Stored bytes are not what was saved. The named object is affected, others are not."""

    code = "damaged"
    exit_code = 20


class InvalidVersion(CasstoreError):
    """A version id that cannot be given: taken already, or not a positive integer."""

    code = "invalid_version"
    exit_code = 2


class VersionProtected(CasstoreError):
    """A version that is tagged or pinned was to be deleted (``details``: ``tags``, ``pinned``)."""

    code = "version_protected"
    exit_code = 2


class InvalidTag(CasstoreError):
    """A tag's name that could be taken for something else, or is taken already."""

    code = "invalid_tag"
    exit_code = 2


class TagNotFound(NotFound):
    """No tag has this name."""

    code = "tag_not_found"
