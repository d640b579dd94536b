"""``casstore pack``: compresses what the cold scripts stored as it was."""

from __future__ import annotations

from casstore.cli import shared
from casstore.cli.terminal import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run


@shared.command(answers={"packed": "how many documents were compressed now"})
def command(run: Run) -> None:
    """Compress what was stored uncompressed.

    scripts/save.py stores a document as it is and leaves compressing it to a process in the
    background. This does the same at once; nothing but the size changes."""
    with run.open_store() as store:
        packed = store.pack()
    text = f"compressed {counted(packed, 'document')}" if packed else "nothing to compress"
    run.answer({"packed": packed}, text)
