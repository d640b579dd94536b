"""Says which of ComfyUI's shapes a JSON value has. Looks at the value only; changes nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

API = "api"
"""``{node id: {"class_type", "inputs"}}``: what ComfyUI executes."""
UI = "ui"
"""``{"nodes": […], "links": […], …}``: what ComfyUI's editor saves."""
WRAPPED = "wrapped"
"""``{"prompt": <api>, …}``: what is posted to ComfyUI's ``/prompt``."""
OTHER = "json"


def workflow_format(value: Any) -> str:
    """`API`, `UI`, `WRAPPED` or `OTHER`."""
    if not isinstance(value, dict):
        return OTHER
    if isinstance(value.get("nodes"), list):
        return UI
    if _is_api(value):
        return API
    return WRAPPED if _is_api(value.get("prompt")) else OTHER


def _is_api(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(node, dict) and "class_type" in node for node in value.values())
    )


def workflow_id(value: Any) -> str | None:
    """The id that ComfyUI's editor gives a workflow and keeps over its edits."""
    found = value.get("id") if isinstance(value, dict) and "nodes" in value else None
    return found if isinstance(found, str) and found else None
