"""The real workflows of the two template packages that the tests depend on."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

TEMPLATES = "comfyui_workflow_templates_json"
BLUEPRINTS = "comfyui_subgraph_blueprints"


@cache
def files_of(package: str) -> tuple[Path, ...]:
    """Every JSON file of a package, in the order of names."""
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"install {package.replace('_', '-')}: see [dependency-groups]"
    assert spec.origin is not None
    return tuple(sorted(Path(spec.origin).parent.rglob("*.json")))
