"""The operating system's calls without ``import os``, for the processes that count milliseconds.

Under ``python -I -S`` nothing has imported ``os`` yet, and it costs 1.7 ms of a 9 ms start. On
POSIX systems ``posix`` is built into the interpreter and has the same functions by the same
names; elsewhere `system` is ``os`` itself. ``posix.environ`` holds bytes and does not follow
``os.environ``: `environment` decodes what the process started with.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    system: Any
else:
    try:
        import posix as system
    except ImportError:
        import os as system

WINDOWS = sys.platform == "win32"


def environment() -> "dict[str, str]":
    """The environment of this process as text, undecodable bytes as surrogates."""
    code = sys.getfilesystemencoding()
    return {
        (key.decode(code, "surrogateescape") if isinstance(key, bytes) else key): (
            value.decode(code, "surrogateescape") if isinstance(value, bytes) else value
        )
        for key, value in system.environ.items()
    }


def flag(name: str) -> int:
    """``O_…`` where the platform has it, else 0."""
    return getattr(system, name, 0)
