"""`Progress`: shows on stderr how far something is, once it has taken a second.

On a terminal one line is written over and over; in a log at most one line every ten seconds.
"""

from __future__ import annotations

import time

from casstore.cli import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

_PATIENCE = 1.0
_PAUSE_TERMINAL = 0.1
_PAUSE_LOG = 10.0


class Progress:
    """Call it with how many are done and of how many; leave its ``with`` block at the end."""

    def __init__(
        self, what: str, stream: TextIO | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._what = terminal.printable(what)
        self._stream = stream
        self._clock = clock
        self._terminal = stream is not None and stream.isatty()
        self._next = clock() + _PATIENCE
        self._shown = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown and self._terminal:
            self._write("\r" + " " * self._shown + "\r")

    def __call__(self, done: int, total: int) -> None:
        now = self._clock()
        if now < self._next:
            return
        self._next = now + (_PAUSE_TERMINAL if self._terminal else _PAUSE_LOG)
        share = f" ({done * 100 // total}%)" if total else ""
        count = f"{done:,} of {total:,}{share}"
        if self._terminal:
            line = f"{terminal.cut(self._what, 79 - 2 - len(count))}: {count}"
            width = terminal.width_of(line)
            self._write("\r" + line + " " * (self._shown - width))
            self._shown = max(width, self._shown)
        else:
            self._write(f"casstore: {self._what}: {count}\n")

    def _write(self, text: str) -> None:
        """Progress is a courtesy: a stderr that fails must not end the work."""
        try:
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()
        except (OSError, ValueError):
            self._stream = None
