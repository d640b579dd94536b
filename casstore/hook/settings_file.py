"""Reads a Claude Code settings file and replaces it whole, or leaves it as it is.

A file that is no valid JSON object is refused with the place of the fault: nothing is written
over what a person is still working on.
"""

from __future__ import annotations

import json
import os
import tempfile

from casstore.errors import InvalidDocument, StorageFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BOM = b"\xef\xbb\xbf"


class SettingsFile:
    """A settings file as it is on the disk: its text, its value, and how to replace it."""

    def __init__(self, path: str) -> None:
        self.path = path
        # a link, as of dotfiles kept elsewhere, stays one
        self._target = os.path.realpath(path)
        try:
            with open(self._target, "rb") as file:
                self._data: bytes | None = file.read()
        except FileNotFoundError:
            self._data = None
        except OSError as error:
            raise StorageFailed(
                f"{path} cannot be read: {error.strerror or error}", path=path
            ) from None
        data = self._data or b""
        self._bom = _BOM if data.startswith(_BOM) else b""
        try:
            self.text = data[len(self._bom) :].decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidDocument(
                f"{path} is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}; "
                f"nothing was changed",
                path=path,
                offset=error.start,
            ) from None
        self.exists = self._data is not None
        if not self.text.strip():
            self.text = "{}\n"
        self.value = self._parse(self.text)

    def replace(self, text: str) -> bool:
        """Writes another text, whole or not at all; False where it is the same. Raises
        `StorageFailed`, also where the file changed since it was read."""
        self._parse(text)
        data = self._bom + text.encode()
        if data == self._data:
            return False
        folder = os.path.dirname(self._target)
        try:
            os.makedirs(folder, exist_ok=True)
            mode = os.stat(self._target).st_mode & 0o777 if self.exists else 0o644
            handle, partial = tempfile.mkstemp(prefix=".settings-", dir=folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(partial, mode)
                self._check_unchanged()
                os.replace(partial, self._target)
            except BaseException:
                os.unlink(partial)
                raise
        except OSError as error:
            raise StorageFailed(
                f"{self.path} cannot be written: {error.strerror or error}", path=self.path
            ) from None
        return True

    def _check_unchanged(self) -> None:
        try:
            with open(self._target, "rb") as file:
                now: bytes | None = file.read()
        except FileNotFoundError:
            now = None
        if now != self._data:
            raise StorageFailed(
                f"{self.path} was changed by another program just now; run the command again",
                path=self.path,
            )

    def _parse(self, text: str) -> dict[str, Any]:
        try:
            value = json.loads(text)
        except RecursionError:
            raise InvalidDocument(f"{self.path} is nested too deep", path=self.path) from None
        except ValueError as error:
            line, column = getattr(error, "lineno", 0), getattr(error, "colno", 0)
            raise InvalidDocument(
                f"{self.path} is not valid JSON: {getattr(error, 'msg', error)} at line {line}, "
                f"column {column}; mend it first, nothing was changed",
                path=self.path,
                line=line,
                column=column,
            ) from None
        if not isinstance(value, dict):
            raise InvalidDocument(
                f"{self.path} must hold a JSON object; nothing was changed", path=self.path
            )
        return value
