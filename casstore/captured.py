"""Turns the header of a capture, which is only what a file says, into checked facts."""

from __future__ import annotations

import os
from binascii import b2a_base64

from casstore.clock import timestamp
from casstore.digests import sha256
from casstore.inbox import BrokenCapture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from casstore.inbox import Capture

_KEPT = ("tool_name", "tool_use_id", "agent_id", "project_from", "outcome")


class Facts:
    """What all files of one capture have in common. Raises `BrokenCapture` for a header that
    lacks it."""

    def __init__(self, capture: Capture) -> None:
        header = capture.header
        self.session = _text(header, "session_id")
        if not self.session:
            raise BrokenCapture("its header gives no session_id")
        self.action = _text(header, "tool_use_id") or capture.name
        """What makes a second delivery the same: the tool call, else the capture itself."""
        moment = header.get("time_ns")
        if type(moment) is not int or not 0 < moment < 2**63:
            raise BrokenCapture(f"its header gives the time {moment!r}")
        self.created_at = timestamp(moment)
        self.common: dict[str, Any] = {"source": "hook"}
        for key in _KEPT:
            value = _text(header, key)
            if value:
                self.common[key] = value
        event = _text(header, "event")
        if event not in ("", "PreToolUse"):
            self.common["event"] = event
        left_out = header.get("left_out")
        if isinstance(left_out, list) and left_out:
            self.common["left_out"] = len(left_out)

    def of_file(self, entry: Mapping[str, Any], absent: bool) -> tuple[str, dict[str, Any]]:
        """The path of one file's version and its attributes."""
        path = _text(entry, "path")
        if not path:
            raise BrokenCapture("its header names a file without a path")
        attributes = {**self.common, "path": path}
        if not is_text(path):  # a name that is not UTF-8: readable, and exact beside it
            raw = path.encode("utf-8", "surrogatepass" if os.name == "nt" else "surrogateescape")
            path = raw.decode("utf-8", "backslashreplace")
            attributes.update(path=path, path_bytes=raw.hex())
        project = _text(entry, "project")
        if project:
            attributes["project"] = project if is_text(project) else ascii(project)
        if absent:
            attributes["absent"] = True
        if entry.get("changing") is True:
            attributes["changing"] = True
        return path, attributes

    def key(self, path: str, body: bytes | None) -> str:
        """The name under which a store accepts a captured file once: 22 letters of base 64 over
        the session, the tool call, the path and the digest (128 bits; a hexadecimal SHA-256
        would cost 84 bytes more per version)."""
        digest = b"absent" if body is None else sha256(body)
        facts = "\x00".join((self.session, self.action, path)).encode("utf-8", "surrogatepass")
        short = b2a_base64(sha256(facts + b"\x00" + digest)[:16], newline=False).decode()
        return short.rstrip("=").replace("+", "-").replace("/", "_")


def is_text(text: str) -> bool:
    """False for text with lone surrogates, which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BrokenCapture(f"its header gives {key} as {value!r:.60}")
    return value
