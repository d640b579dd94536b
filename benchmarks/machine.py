"""The facts of the machine a result was made on, without names or paths of it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sqlite3
import subprocess
from importlib import metadata

LIBRARIES = (
    "orjson",
    "zstandard",
    "sqlalchemy",
    "langgraph-checkpoint-sqlite",
    "diskcache",
    "comfyui-workflow-templates-json",
    "comfyui-subgraph-blueprints",
)


def facts() -> dict[str, str | int]:
    """Interpreter, SQLite, processor count and library versions ("missing" where not installed)."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count() or 0,
        "sqlite": sqlite3.sqlite_version,
        "git": _git(),
        **{name: _version(name) for name in LIBRARIES},
    }


def load() -> str:
    """Processes that wanted to run over the last minute, or "unknown". Well above 1 before a run:
    others are at work, and the disk's share hides what differs."""
    try:
        return f"{os.getloadavg()[0]:.2f}"
    except (AttributeError, OSError):  # Windows has no such count
        return "unknown"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def _git() -> str:
    if shutil.which("git") is None:
        return "missing"
    run = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"\d+(\.\d+)+", run.stdout)
    return found.group() if found else "missing"
