"""Gives a workflow a hash that does not change with its looks.

Two documents have the same identity exactly where they are the same graph: equal in all that
`casstore.workflow.looks` does not call cosmetic, in value and type, whatever the order of keys.
"""

from __future__ import annotations

from typing import Any

from casstore import documents
from casstore.digests import sha256
from casstore.workflow.exact import check, depth_checked, json_text
from casstore.workflow.reading import read

IDENTITY_VERSION = 1
"""Goes up when other identities are made of the same documents; keep it with a stored one."""

_PREFIX = b"casstore graph %d\n" % IDENTITY_VERSION


def identity(document: Any) -> bytes:
    """The 32-byte SHA-256 of a document without its looks.

    Raises `InvalidDocument` for objects that are no JSON values, and for what is nested too
    deep.
    """
    check(document, "the document")
    with depth_checked():
        return sha256(_PREFIX + documents.canonical(form(document)))


def same_graph(a: Any, b: Any) -> bool:
    """True where two documents are equal apart from looks. Raises as `identity`."""
    return identity(a) == identity(b)


def form(document: Any) -> Any:
    """The JSON value that the identity is the hash of. It shares parts with the document."""
    found = read(document)
    graphs = {}
    for graph in found.graphs:
        place = graph.place
        # a subgraph's place in the list of definitions is looks, where a graph itself stands is not
        path = place.path if len(place.key) == 1 else ""
        graphs[json_text([list(key) for key in place.key])] = [path, graph.form()]
    return {"shell": found.shell, "graphs": graphs}
