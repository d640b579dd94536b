"""``casstore info``: what a store holds and what it costs."""

from __future__ import annotations

from casstore.cli import shared
from casstore.cli.terminal import counted, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(
    answers={
        "location": "absolute path of the store",
        "format": "version of the file format, an integer",
        "versions": "how many versions",
        "sessions": "how many sessions",
        "blobs": "how many distinct payloads",
        "loose": "those of them that wait to be compressed",
        "logical_bytes": "bytes of all documents, each version counted",
        "distinct_bytes": "bytes of the distinct payloads",
        "stored_bytes": "bytes of the compressed payloads",
        "file_bytes": "bytes of the file, with all bookkeeping",
        "ratio": "logical_bytes / file_bytes",
        "journal_mode": "how the engine makes commits durable",
        "engine": "engine and its version",
    }
)
def command(run: Run) -> None:
    """Show what the store holds and what it costs.

    Counts versions, sessions and bytes. Reads the whole index, so it takes longer on a large
    store."""
    with run.open_store() as store:
        info = store.info()
    ratio = info.logical_bytes / info.file_bytes if info.file_bytes else 0.0
    values = info._asdict()
    journal, engine = values.pop("journal_mode"), values.pop("engine")
    waiting = f", {info.loose:,} waiting to be compressed" if info.loose else ""
    run.answer(
        {**values, "ratio": round(ratio, 2), "journal_mode": journal, "engine": engine},
        ("store", info.location),
        ("engine", f"{info.engine}, journal {info.journal_mode}, format {info.format}"),
        ("versions", f"{info.versions:,} in {counted(info.sessions, 'session')}"),
        ("payloads", f"{info.blobs:,} distinct{waiting}"),
        ("documents", f"{size(info.logical_bytes)} as plain texts, every version counted"),
        ("on disk", f"{size(info.file_bytes)}{_smaller(ratio)}"),
    )


def _smaller(ratio: float) -> str:
    return f", {ratio:.1f} times smaller" if ratio >= 1.05 else ""
