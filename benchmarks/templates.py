"""Real workflows, ordered by size, so that "the median template" means the same on every machine.

The workflows are those of the PyPI packages ``comfyui-workflow-templates-json`` and
``comfyui-subgraph-blueprints``. Size is that of the compact JSON text in UTF-8. A file without a
``nodes`` list is left out: the ``index*.json`` catalogues and a settings file are not workflows.
"""

from __future__ import annotations

import importlib.util
import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = ("comfyui_workflow_templates_json", "comfyui_subgraph_blueprints")
MEDIAN = 0.5
P90 = 0.9


class Template(NamedTuple):
    """One workflow file; ``size`` is the bytes of its compact JSON text."""

    size: int
    name: str
    file: Path

    def load(self) -> dict[str, Any]:
        """The workflow as a fresh value that the caller may change."""
        document = json.loads(self.file.read_bytes())
        assert isinstance(document, dict)
        return document


def compact(document: object) -> bytes:
    """The compact JSON text of a value, key order kept."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


@lru_cache(maxsize=1)
def all_templates() -> tuple[Template, ...]:
    """Every workflow of both packages, smallest first (ties by name).

    Raises ``ModuleNotFoundError`` where a package is missing: the documents are the benchmark.
    """
    found = []
    for package in PACKAGES:
        for file in sorted(_folder(package).rglob("*.json")):
            document = json.loads(file.read_bytes())
            if isinstance(document, dict) and isinstance(document.get("nodes"), list):
                found.append(Template(len(compact(document)), file.stem, file))
    return tuple(sorted(found, key=lambda template: template[:2]))


def around(fraction: float, count: int = 1) -> tuple[Template, ...]:
    """The ``count`` templates around the given fraction of the size order (0.5 is the median)."""
    templates = all_templates()
    middle = min(int(len(templates) * fraction), len(templates) - 1)
    first = max(0, min(middle - count // 2, len(templates) - count))
    return templates[first : first + count]


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            f"{package} is not installed: install {package.replace('_', '-')}", name=package
        )
    return Path(spec.origin).parent
