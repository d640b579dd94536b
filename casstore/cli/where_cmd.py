"""``casstore where``: the path of the store, and what decided it."""

from __future__ import annotations

import os

from casstore.cli import shared
from casstore.location import MARKERS, PROJECT_VARIABLE, STORE_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.cli.run import Run

_FALLBACK = "working directory"


@shared.command(
    answers={
        "path": "absolute path of the store",
        "exists": "whether there is a file",
        "decided_by": "what decided the path: --store, COMFYUI_AGENT_CHECKPOINT_DB, "
        "CLAUDE_PROJECT_DIR, .claude, .git, or working directory",
        "project_root": "absolute path of the project",
        "root_decided_by": "what decided project_root: the last four of these",
    }
)
def command(run: Run) -> None:
    """Show where the store is, and why there.

    The first of these that applies decides:

    \b
      --store PATH
      COMFYUI_AGENT_CHECKPOINT_DB in the environment
      host/.cache/checkpoint.sqlite under the project root

    The project root is the first of these:

    \b
      CLAUDE_PROJECT_DIR in the environment
      the nearest folder upwards that holds .claude or .git
      the working directory
    """
    root, path = run.project_root, run.store_path
    root_by = _root_decided_by(run, root)
    if run.store is not None:
        decided_by = why = "--store"
    elif run.environ.get(STORE_VARIABLE):
        decided_by, why = STORE_VARIABLE, f"{STORE_VARIABLE} names it"
    else:
        decided_by, why = root_by, _root_reason(root_by, root)
    exists = os.path.exists(path)
    run.answer(
        {
            "path": path,
            "exists": exists,
            "decided_by": decided_by,
            "project_root": root,
            "root_decided_by": root_by,
        },
        path,
        ("state", "exists" if exists else "not there yet; the first save makes it"),
        ("because of", why),
    )


def _root_decided_by(run: Run, root: str) -> str:
    if run.environ.get(PROJECT_VARIABLE):
        return PROJECT_VARIABLE
    found = (marker for marker in MARKERS if os.path.exists(os.path.join(root, marker)))
    return next(found, _FALLBACK)


def _root_reason(decided_by: str, root: str) -> str:
    if decided_by == PROJECT_VARIABLE:
        return f"{PROJECT_VARIABLE}, which names {root}"
    if decided_by == _FALLBACK:
        return f"the working directory; no {' or '.join(MARKERS)} in it or above"
    return f"{decided_by} in {root}"
