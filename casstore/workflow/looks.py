"""What is cosmetic in the editor's format: it changes neither what runs nor what it means.

Places, sizes, colours, what is folded or pinned, the view, the order in which things are drawn,
reroute dots, the numbers of links, the editor's own counters and version. Everything that is not
named here counts.
"""

from __future__ import annotations

from typing import Any

ORDER = "reordered"
"""The number that says when a node runs; the editor works it out anew."""

LISTS = "lists reordered"
"""Nodes, groups, links or subgraphs listed in another order."""

REROUTES = "reroutes"
"""The dots that links are drawn through."""

RENUMBERED = "links renumbered"
"""Links under other numbers."""

COUNTERS = "counters"
"""The numbers that the editor gives out next."""

EDITOR = "editor version"

OTHER = "written differently"
"""A change of form alone, such as an empty list for none, or links as objects."""

NODE = {
    "pos": "moved",
    "size": "resized",
    "color": "recoloured",
    "bgcolor": "recoloured",
    "boxcolor": "recoloured",
    "shape": "reshaped",
    "flags": "folded or pinned",
    "showAdvanced": "folded or pinned",
    "order": ORDER,
}
"""Keys of a node, and what a change of each is called."""

SOCKET = frozenset(
    (
        "localized_name",  # the name in the language of whoever saved
        "shape",
        "slot_index",
        "pos",
        "dir",
        "color_on",
        "color_off",
        "boundingRect",
    )
)
"""Keys of an input or output, of a node or of a subgraph."""

GROUP = {
    "bounding": "moved",
    "color": "recoloured",
    "font_size": "resized",
    "flags": "folded or pinned",
    "locked": "folded or pinned",
}
"""Keys of a group."""

GRAPH = {
    "last_node_id": COUNTERS,
    "last_link_id": COUNTERS,
    "state": COUNTERS,
    "revision": COUNTERS,
    "reroutes": REROUTES,
    "floatingLinks": REROUTES,
}
"""Keys of a graph."""

EXTRA = {
    "ds": "view moved",
    "frontendVersion": EDITOR,
    "workflowRendererVersion": EDITOR,
    "reroutes": REROUTES,
    "linkExtensions": REROUTES,
    "linkPresentation": REROUTES,
}
"""Keys of a graph's ``extra``."""

BORDER = {"bounding": "moved", "pinned": "folded or pinned"}
"""Keys of the nodes that stand for a subgraph's own inputs and outputs."""


def without(value: dict[str, Any], keys: Any) -> dict[str, Any]:
    """The object without these keys."""
    return {key: item for key, item in value.items() if key not in keys}
