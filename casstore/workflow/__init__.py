"""ComfyUI workflows as graphs: what changed between two, and whether it matters.

    from casstore import workflow

    found = workflow.diff(before, after)
    workflow.summary(found)            # 'KSampler #3: steps 20 → 30; 1 node moved'
    workflow.same_graph(before, after)  # True where only looks differ
    workflow.identity(after)           # 32 bytes, the same for same graphs
    workflow.json_patch(before, after)  # RFC 6902

Documents are JSON values as casstore restores them: of the API format, of the editor's, wrapped,
or anything else. What is odd is compared as the value it is. See ``docs/diff.md``.
"""

from __future__ import annotations

from casstore.workflow.diffing import diff
from casstore.workflow.exact import MISSING
from casstore.workflow.identity import IDENTITY_VERSION, identity, same_graph
from casstore.workflow.patch import json_patch
from casstore.workflow.records import Diff
from casstore.workflow.summaries import statistics, summary, summary_counts

__all__ = [
    "IDENTITY_VERSION",
    "MISSING",
    "Diff",
    "diff",
    "identity",
    "json_patch",
    "same_graph",
    "statistics",
    "summary",
    "summary_counts",
]
