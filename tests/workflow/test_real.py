"""Real workflows and hard ones: read without a fault, compared completely."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from benchmarks import edits
from casstore import documents, jsontext, workflow
from casstore.records import BINARY, TEXT
from casstore.workflow.graphs import UiGraph
from casstore.workflow.reading import read
from tests.support import corpus
from tests.support.hard_inputs import HARD_INPUTS
from tests.support.templates import BLUEPRINTS, TEMPLATES, files_of
from tests.workflow.documents import equal, mutate


def load(file: Path) -> Any:
    return jsontext.loads(file.read_text(encoding="utf-8-sig"))


def check(before: Any, after: Any) -> None:
    """All that holds for two documents, at once."""
    found = workflow.diff(before, after)
    alike = equal(before, after)
    assert found.empty == alike
    assert found.same_graph == (workflow.identity(before) == workflow.identity(after))
    patch = workflow.json_patch(before, after)
    assert (patch == []) == alike
    copied = jsontext.loads(jsontext.dumps(before).decode())
    assert equal(jsonpatch.apply_patch(copied, patch, in_place=True), after)
    assert len(workflow.summary(found, 72)) <= 72
    assert jsontext.dumps(found.as_dict())


def check_files(files: Iterable[Path]) -> int:
    """Each file against itself, an odd edit of it, and the file before it."""
    checked = 0
    previous: Any = {}
    for file in files:
        document = load(file)
        rng = random.Random(file.name)
        after = load(file)
        check(document, after)
        for _ in range(rng.randint(1, 3)):
            mutate(rng, after)
        check(document, after)
        if checked % 10 == 0:
            check(previous, document)
        previous = document
        checked += 1
    return checked


def test_every_fifth_template_and_blueprint() -> None:
    assert check_files(files_of(TEMPLATES)[::5]) == 132
    assert check_files(files_of(BLUEPRINTS)[::5]) == 23


@pytest.mark.skipif(not corpus.files(), reason="no corpus: see tests/support/corpus.py")
def test_every_file_of_the_corpus() -> None:
    assert check_files(corpus.files())


def test_the_links_of_templates_are_understood() -> None:
    """Nearly all of them are named by the input they end at, so they say nothing apart."""
    links = loose = odd = 0
    for file in files_of(TEMPLATES):
        for graph in read(load(file)).graphs:
            assert isinstance(graph, UiGraph)
            links += len(graph.links.by_id)
            loose += len(graph.loose_links)
            odd += len(graph.odd)
    assert (odd, loose < 20, links > 15_000) == (0, True, True)


def test_a_session_of_edits_is_told_edit_by_edit() -> None:
    [file] = [file for file in files_of(TEMPLATES) if file.stem == "flux_fill_outpaint_example"]
    steps = edits.session(load(file), 7, 60)
    before = jsontext.dumps(next(steps).document)
    for step in steps:
        after = jsontext.dumps(step.document)
        a, b = (jsontext.loads(text.decode()) for text in (before, after))
        found = workflow.diff(a, b)
        check(a, b)
        if step.kind == edits.MOVE:
            assert found.same_graph
        elif step.kind == edits.NODE:
            assert sum(node.change != "changed" for node in found.nodes) == 1
        else:
            [change] = found.nodes
            assert len(change.widgets) == 1 or change.renamed or change.mode
        before = after


@pytest.mark.parametrize("row", HARD_INPUTS, ids=lambda row: row.name)
def test_hard_inputs_are_compared_wherever_they_are_json(row: Any) -> None:
    document = documents.from_any_text(row.data.removeprefix(b"\xef\xbb\xbf"), "the file")
    if document.codec in (TEXT, BINARY):
        return
    value = documents.value_of(document.payload, document.codec)
    check(value, {"nodes": [value], "links": [value], "x": value})
    check({"1": {"class_type": "A", "inputs": {"v": value}}}, {"1": {"class_type": "A"}})
    check(value, value)
    if type(value) is dict:
        check(value, {**value, "more": 1})
        rng = random.Random(row.name)
        after = jsontext.loads(jsontext.dumps(value).decode())
        mutate(rng, after)
        check(value, after)
