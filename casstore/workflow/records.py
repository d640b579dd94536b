"""What a comparison of two workflows finds, as plain immutable records.

Each has ``as_dict``, whose result is JSON's types only. A value that is not there is `MISSING`
inside and no key at all outside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from casstore.workflow.changes import ValueChange
from casstore.workflow.exact import MISSING

ADDED = "added"
REMOVED = "removed"
CHANGED = "changed"

ALWAYS, NEVER, BYPASS = 0, 2, 4
"""Values of a node's ``mode`` in the editor's format: runs, is muted, is bypassed."""


class NodeRef(NamedTuple):
    """A node, as it is now; a removed one as it was."""

    graph: tuple[str, ...]
    """Names of the subgraphs that it is in; none for the document's own graph."""
    id: Any
    type: Any
    """As in the document: of a subgraph's instance, the subgraph's id."""
    title: Any
    label: str
    """``KSampler #3``; of a subgraph's instance with the subgraph's name."""
    path: str
    """JSON pointer."""

    def as_dict(self) -> dict[str, Any]:
        made = {
            "graph": list(self.graph),
            "id": self.id,
            "type": self.type,
            "title": self.title,
            "label": self.label,
            "path": self.path,
        }
        return _present(made)


class Turn(NamedTuple):
    """A property that went from one value to another."""

    before: Any
    after: Any

    def as_dict(self) -> dict[str, Any]:
        return _present(self._asdict())


class WidgetChange(NamedTuple):
    """A value that a node is set to."""

    name: str | None
    """None where the document does not say it."""
    position: int | None
    """Ordinal among the node's values; None where they have names only."""
    before: Any
    after: Any

    @property
    def label(self) -> str:
        """Its name, else its position: ``value[2]``."""
        if self.name is not None:
            return self.name
        return "values" if self.position is None else f"value[{self.position}]"

    def as_dict(self) -> dict[str, Any]:
        return _present(self._asdict())


class Source(NamedTuple):
    """Where an input's value comes from."""

    node: Any
    slot: Any
    label: str
    """``CheckpointLoaderSimple #4.0``, the slot last."""
    detail: Any
    """The link's type, and what else it says; of a link that the graph does not have, its id."""

    def as_dict(self) -> dict[str, Any]:
        return _present(self._asdict())


class WireChange(NamedTuple):
    """An input that gets its value from elsewhere. None stands for an input without a link."""

    input: str
    before: Source | None
    after: Source | None

    def as_dict(self) -> dict[str, Any]:
        return {
            "input": self.input,
            "before": self.before and self.before.as_dict(),
            "after": self.after and self.after.as_dict(),
        }


class NodeChange(NamedTuple):
    """One node that differs in more than looks."""

    change: str
    """`ADDED`, `REMOVED` or `CHANGED`."""
    node: NodeRef
    retyped: Turn | None = None
    renamed: Turn | None = None
    """Titles."""
    mode: Turn | None = None
    widgets: tuple[WidgetChange, ...] = ()
    """Of an added or removed node, all it has."""
    wires: tuple[WireChange, ...] = ()
    """Likewise."""
    other: tuple[ValueChange, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {"change": self.change, **self.node.as_dict()}
        for name in ("retyped", "renamed", "mode"):
            turn: Turn | None = getattr(self, name)
            if turn is not None:
                made[name] = turn.as_dict()
        return {**made, **_lists(self, "widgets", "wires", "other")}


class GroupChange(NamedTuple):
    """A group of nodes that came, went, or is called otherwise."""

    change: str
    graph: tuple[str, ...]
    title: Any
    path: str
    renamed: Turn | None = None
    other: tuple[ValueChange, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "change": self.change,
            "graph": list(self.graph),
            "title": self.title,
            "path": self.path,
        }
        if self.renamed is not None:
            made["renamed"] = self.renamed.as_dict()
        return {**_present(made), **_lists(self, "other")}


class SubgraphChange(NamedTuple):
    """A subgraph's definition that came, went, is called otherwise or has other inputs or outputs.
    Its nodes have changes of their own, unless all of it came or went."""

    change: str
    graph: tuple[str, ...]
    """Names of the subgraphs that define it; none for the document itself."""
    id: Any
    name: Any
    path: str
    nodes: int
    """How many it has."""
    renamed: Turn | None = None
    wires: tuple[WireChange, ...] = ()
    """Of its outputs."""
    other: tuple[ValueChange, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "change": self.change,
            "graph": list(self.graph),
            "id": self.id,
            "name": self.name,
            "path": self.path,
            "nodes": self.nodes,
        }
        if self.renamed is not None:
            made["renamed"] = self.renamed.as_dict()
        return {**_present(made), **_lists(self, "wires", "other")}


class Cosmetic(NamedTuple):
    """A change of looks (`casstore.workflow.looks`): ``what`` happened to which ``target``."""

    what: str
    target: str
    """``node``, ``group``, ``subgraph`` or ``workflow``."""
    graph: tuple[str, ...]
    label: str
    """Of the node or group."""
    changes: tuple[ValueChange, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "target": self.target,
            "graph": list(self.graph),
            "label": self.label,
            "changes": [change.as_dict() for change in self.changes],
        }


class Diff(NamedTuple):
    """All differences of two documents. Empty exactly where they are equal in value and type."""

    formats: tuple[str, str]
    """Of each document, as in `casstore.formats`. Two formats are a difference."""
    nodes: tuple[NodeChange, ...] = ()
    groups: tuple[GroupChange, ...] = ()
    subgraphs: tuple[SubgraphChange, ...] = ()
    other: tuple[ValueChange, ...] = ()
    """What counts and is none of the above, by its path in the document."""
    cosmetic: tuple[Cosmetic, ...] = ()
    note: str | None = None
    """What a reader has to know about the comparison."""

    @property
    def same_graph(self) -> bool:
        """True where nothing but looks differs."""
        return self.formats[0] == self.formats[1] and not (
            self.nodes or self.groups or self.subgraphs or self.other
        )

    @property
    def empty(self) -> bool:
        """True where nothing differs."""
        return self.same_graph and not self.cosmetic

    def as_dict(self) -> dict[str, Any]:
        """The JSON form; see ``docs/diff.md``."""
        return {
            "equal": self.empty,
            "same_graph": self.same_graph,
            "formats": list(self.formats),
            "note": self.note,
            **_lists(self, "nodes", "groups", "subgraphs", "other", "cosmetic"),
        }


def _present(made: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in made.items() if value is not MISSING}


def _lists(record: Any, *names: str) -> dict[str, Any]:
    return {name: [item.as_dict() for item in getattr(record, name)] for name in names}
