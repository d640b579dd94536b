"""`Run`: one run of the command line, from its surroundings to its answer.

An answer is one JSON object with ``--json``, text for people else; both leave as UTF-8 bytes on
every platform. Whatever cannot be written is an error, never a silent loss.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import time

import click

from casstore import jsontext
from casstore.cli import terminal
from casstore.errors import StorageFailed, UsageError
from casstore.location import project_root, store_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from casstore.cli.progress import Progress
    from casstore.cli.terminal import Line
    from casstore.records import VersionRow
    from casstore.store import Store


class Run:
    """The common options, the environment and the ways out. Commands get it as first argument."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self.environ = os.environ if environ is None else environ
        self.store: str | None = None
        """``--store``, as given."""
        self.json = False
        """``--json``."""

    # Where things are

    @property
    def cwd(self) -> str:
        """The working directory. Raises `UsageError` where it was removed."""
        try:
            return os.getcwd()
        except OSError:
            raise UsageError("the working directory is gone; change to one that exists") from None

    @property
    def store_path(self) -> str:
        """The absolute path of the store: ``--store``, else as in `casstore.location`."""
        if self.store is not None:
            return os.path.abspath(self.store)
        return store_path(self.environ, self.cwd)

    @property
    def project_root(self) -> str:
        """The absolute path of the project that the working directory is in."""
        return project_root(self.environ, self.cwd)

    def open_store(self, *, create: bool = False) -> Store:
        """The store, taken over first where it is a plain table. Raises `NoStore` where there is
        none, unless ``create``. Use it in a ``with`` statement."""
        from casstore.opening import open_store

        path = self.store_path
        with self.progress(f"taking over {path}") as progress:
            return open_store(path, create=create, progress=progress)

    @property
    def now(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def version(self, store: Store, revision: str) -> VersionRow:
        """The version that a REV of the command line names (`casstore.revisions`)."""
        from casstore.revisions import resolve

        return resolve(store, revision, now=self.now, path_of=self.path_in_project).row

    def path_in_project(self, name: str) -> str | None:
        """The path that a file named on the command line has in the project, or None."""
        from casstore.cli.files import path_in_project

        try:
            return path_in_project(name, self.project_root)
        except (OSError, ValueError):  # a name that can be no file
            return None

    # Answering

    def answer_each(self, key: str, values: Iterable[Mapping[str, Any]]) -> None:
        """Ends a command with ``--json`` whose answer is a list that may be long: ``{key: […]}``,
        written item by item. Where making an item fails, the list ends with those before it, and
        the error follows on a line of its own; before the first item it is alone."""
        items = iter(values)
        first = next(items, None)
        self.write(
            b'{"%s":[' % key.encode() + (json_line(first)[:-1] if first is not None else b"")
        )
        try:
            for item in items:
                self.write(b"," + json_line(item)[:-1])
        finally:
            self.write(b"]}\n")

    def page(self, parts: Iterable[str]) -> None:
        """Ends a command whose text may be long: through a pager on a terminal, part by part as
        the parts are made. ``PAGER=cat`` shows it without one."""
        if self.is_terminal and sys.stdin is not None and sys.stdin.isatty():
            # as git does: less ends where all fits on the screen, and shows colours
            os.environ.setdefault("LESS", "FRX")
            click.echo_via_pager(iter(parts), color=self.color)
            return
        for part in parts:
            self.write_text(part)

    def answer(self, values: Mapping[str, Any], *text: Line) -> None:
        """Ends a command: ``values`` with ``--json``, else the lines of ``text`` (a pair is a
        label and its value)."""
        if self.json:
            self.write(json_line(values))
        else:
            self.write_text(terminal.lines(text, color=self.color))

    def write(self, data: bytes) -> None:
        """Writes bytes to stdout as they are."""
        try:
            stream = _stdout().buffer
            stream.write(data)
            stream.flush()
        except OSError as error:
            raise stdout_failed(error) from None

    def write_text(self, text: str) -> None:
        """Writes text made by `casstore.cli.terminal` to stdout."""
        try:
            click.echo(text, file=_stdout(), nl=False, color=self.color)
        except OSError as error:
            raise stdout_failed(error) from None

    def note(self, text: str) -> None:
        """A remark for people, on stderr."""
        if sys.stderr is not None:
            click.echo(terminal.printable(text), err=True)

    def progress(self, what: str) -> Progress:
        """Shows how far ``what`` is, on stderr, once it has taken a second. Use it in a ``with``
        statement; the object is called with how many are done and of how many."""
        from casstore.cli.progress import Progress

        return Progress(what, sys.stderr)

    # The terminal

    @property
    def is_terminal(self) -> bool:
        """True where a person reads stdout."""
        return sys.stdout is not None and sys.stdout.isatty()

    @property
    def color(self) -> bool:
        """True where stdout takes colours and nobody asked for none (https://no-color.org)."""
        plain = self.environ.get("NO_COLOR") or self.environ.get("TERM") == "dumb"
        return self.is_terminal and not plain

    @property
    def width(self) -> int:
        """Columns of the terminal, 80 where there is none."""
        return max(40, shutil.get_terminal_size((80, 24)).columns)


def json_line(values: Mapping[str, Any]) -> bytes:
    """One JSON object on one line. Lone surrogates are written as JSON's own escapes."""
    return jsontext.dumps(plain(values)) + b"\n"


def plain(value: Any) -> Any:
    """A value in JSON's types: paths and other odd things as their text, bytes as hexadecimal."""
    if value is None or type(value) in (int, bool, float):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value.hex() if isinstance(value, bytes) else terminal.proper(str(value))


def _stdout() -> Any:
    if sys.stdout is None:
        raise StorageFailed(
            "stdout is closed, so the answer cannot be written; open or redirect it"
        )
    return sys.stdout


def stdout_failed(error: OSError) -> Exception:
    """What to raise where stdout cannot be written: a reader that went away ends the run
    quietly, all else is an error."""
    if error.errno in (errno.EPIPE, errno.EINVAL):  # EINVAL: a closed pipe on Windows
        return click.exceptions.Exit(1)
    return StorageFailed(f"the answer cannot be written to stdout: {error.strerror or error}")


def settle_stdout() -> None:
    """Sends what stdout does not take nowhere, so that the interpreter's own flush at its end
    finds no fault (https://docs.python.org/3/library/signal.html#note-on-sigpipe)."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):  # closed, or no file at all
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def utf8_streams() -> None:
    """Makes text leave as UTF-8 whatever the locale says; what is no text as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
