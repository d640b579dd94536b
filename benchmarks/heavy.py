"""The process in which ``worst`` measures memory: one call is made in it, nothing else.

Before that call it has imported everything (a small document was saved and restored) and holds the
document with all that making it took, so that what is resident then is its peak so far, and what
the peak grows by is what the call took.

``python -m benchmarks.heavy save|edit|restore|grow FOLDER SIZE KIND`` prints one JSON object.
"""

from __future__ import annotations

import base64
import json
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

import casstore
from benchmarks.baselines.casstore_store import FILE_NAME
from benchmarks.templates import compact
from benchmarks.workload import tree_bytes

SESSION = "heavy"
WIDGET = "a widget"
MIDDLE = "the middle of the base64"
GROWN = 20

_SMALL = {"1": {"class_type": "KSampler", "inputs": {"seed": 1}}}
_STATUS = Path("/proc/self/status")


class _Held(NamedTuple):
    """A document and what was made on the way to it."""

    raw: bytes
    encoded: bytes
    document: dict[str, Any]


def document(size: int, edit: str = "", number: int = 0) -> _Held:
    """The heavy document, of about ``size`` bytes as text; or edit ``number`` of its kind."""
    raw = random.Random(1).randbytes(size * 3 // 4)
    encoded = base64.b64encode(raw)
    if edit == MIDDLE:
        middle = len(encoded) // 2
        encoded = b"%b%04d%b" % (encoded[:middle], number, encoded[middle:])
    seed = 2**40 + number if edit == WIDGET else 1
    made = {
        "2": {"class_type": "KSampler", "inputs": {"seed": seed, "steps": 20}},
        "1": {"class_type": "LoadImageBase64", "inputs": {"image": encoded.decode()}},
    }
    return _Held(raw, encoded, made)


def peak() -> int | None:
    """The highest resident size of this process so far in bytes; None where unknown."""
    if sys.platform == "win32":
        return None
    if _STATUS.exists():
        # On Linux ru_maxrss starts at the size of the process that started this one.
        lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measured(action: str, folder: Path, size: int, kind: str) -> dict[str, Any]:
    """One save or restore of the heavy document: bytes of the document, bytes the folder and the
    stored blobs grew by, and bytes the peak grew by."""
    held = document(size, kind)
    with casstore.open_store(folder / FILE_NAME) as store:
        store.restore(version_id=store.save("small", _SMALL).version_id)
        disk, blobs = tree_bytes(folder), store.info().stored_bytes
        start = peak()
        if action == "restore":
            restored = store.restore(session_id=SESSION).workflow_data
        else:
            store.save(SESSION, held.document)
        end = peak()
        disk, blobs = tree_bytes(folder) - disk, store.info().stored_bytes - blobs
        if action != "restore":
            restored = store.restore(session_id=SESSION).workflow_data
        assert restored == held.document
    return {
        "document": len(compact(held.document)),
        "disk": disk,
        "blobs": blobs,
        "peak": None if start is None or end is None else end - start,
    }


def grown(folder: Path, size: int, kind: str) -> dict[str, Any]:
    """Bytes the folder grew by per version over further edits of one kind."""
    with casstore.open_store(folder / FILE_NAME) as store:
        before = tree_bytes(folder)
        for number in range(1, GROWN + 1):
            store.save(SESSION, document(size, kind, number).document)
        return {"disk": (tree_bytes(folder) - before) / GROWN}


if __name__ == "__main__":
    action, folder, size, kind = sys.argv[1:]
    if action == "grow":
        print(json.dumps(grown(Path(folder), int(size), kind)))
    else:
        print(json.dumps(measured(action, Path(folder), int(size), kind)))
