"""``casstore demo``: the main job on a sample workflow, and what it cost."""

from __future__ import annotations

import os
import tempfile
from importlib import resources

from casstore.cli import shared
from casstore.cli.terminal import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from casstore.cli.run import Run

SESSION = "demo"
EDITS = 20


@shared.command(
    answers={
        "store": "the demo's store, removed at the end unless --store named it",
        "first_version": "id of the sample as saved first",
        "last_version": "id of the last edit",
        "exact": "true: both came back equal, in values, types and key order",
        "plain_bytes": "bytes of the versions as plain JSON texts",
        "stored_bytes": "bytes of the same versions as stored",
        "delta_bytes": "bytes of the last edit's delta",
    }
)
def command(run: Run) -> None:
    """Save a sample workflow, edit it, and get both versions back.

    Uses a store of its own in a temporary folder, or the one that --store names."""
    if run.store is not None:
        _demo(run, run.store_path)
        return
    with tempfile.TemporaryDirectory(prefix="casstore-demo-") as folder:
        _demo(run, os.path.join(folder, "checkpoint.sqlite"))


def _demo(run: Run, path: str) -> None:
    from casstore import open_store

    api, ui = _sample("text_to_image.api.json"), _sample("text_to_image.json")
    with open_store(path) as store:
        before = store.info()
        first = store.save(SESSION, api, ui, {"why": "before the agent's first edit"})
        one = store.info()
        for number in range(1, EDITS + 1):
            api["3"]["inputs"]["steps"] = ui["nodes"][4]["widgets_values"][2] = 20 + number
            last = store.save(SESSION, api, ui, {"why": f"edit {number}"})
        after = store.info()
        latest = store.restore(session_id=SESSION)
        original = store.restore(version_id=first.version_id)
    exact = (
        latest.version_id == last.version_id
        and _same(latest.workflow_data, api)
        and _same(latest.workflow_data_ui, ui)
        and _same(original.workflow_data, _sample("text_to_image.api.json"))
        and _same(original.workflow_data_ui, _sample("text_to_image.json"))
    )
    plain = after.logical_bytes - before.logical_bytes
    stored = after.stored_bytes - before.stored_bytes
    whole = one.stored_bytes - before.stored_bytes
    delta = (stored - whole) // EDITS
    run.answer(
        {
            "store": path,
            "first_version": first.version_id,
            "last_version": last.version_id,
            "exact": exact,
            "plain_bytes": plain,
            "stored_bytes": stored,
            "delta_bytes": delta,
        },
        f"saved the sample (API and UI format) as version {first.version_id}: {whole:,} bytes",
        f"saved {counted(EDITS, 'edit')} as versions {first.version_id + 1} to "
        f"{last.version_id}: {delta:,} bytes each",
        f"restored session {SESSION!r}: version {latest.version_id}, "
        f"{latest.workflow_data['3']['inputs']['steps']} steps",
        f"restored version {first.version_id}: "
        f"{original.workflow_data['3']['inputs']['steps']} steps",
        "both came back exactly" if exact else "WHAT CAME BACK IS NOT WHAT WAS SAVED",
        f"{plain:,} bytes as plain JSON texts, {stored:,} bytes as stored "
        f"(with rows and indexes the file has {after.file_bytes:,})",
    )
    if not exact:
        raise AssertionError("the demo's versions did not come back exactly")


def _sample(name: str) -> dict[str, Any]:
    from casstore import jsontext

    text = resources.files("casstore.samples").joinpath(name).read_text(encoding="utf-8")
    return jsontext.loads(text)  # type: ignore[no-any-return]


def _same(left: Any, right: Any) -> bool:
    """Equal also in types and key order, which ``repr`` shows."""
    return repr(left) == repr(right)
