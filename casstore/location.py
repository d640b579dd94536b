"""Where the store of a project is. Reads nothing: the caller hands in environment and folder."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

STORE_VARIABLE = "COMFYUI_AGENT_CHECKPOINT_DB"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
DEFAULT = ("host", ".cache", "checkpoint.sqlite")
MARKERS = (".claude", ".git")


def store_path(environ: Mapping[str, str], cwd: str) -> str:
    """The absolute path of the store file: ``COMFYUI_AGENT_CHECKPOINT_DB``, else
    ``host/.cache/checkpoint.sqlite`` under the project root."""
    named = environ.get(STORE_VARIABLE)
    if named:
        return os.path.normpath(os.path.join(cwd, os.path.expanduser(named)))
    return os.path.join(project_root(environ, cwd), *DEFAULT)


def project_root(environ: Mapping[str, str], cwd: str) -> str:
    """``CLAUDE_PROJECT_DIR``, else the nearest folder from ``cwd`` upwards that holds ``.claude``
    or ``.git``, else ``cwd``."""
    named = environ.get(PROJECT_VARIABLE)
    if named:
        return os.path.normpath(os.path.join(cwd, named))
    folder = os.path.abspath(cwd)
    while True:
        if any(os.path.exists(os.path.join(folder, marker)) for marker in MARKERS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return os.path.abspath(cwd)
        folder = parent
