"""The documents of the benchmarks: the same everywhere, in the written mix, and sound workflows."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

import pytest

from benchmarks import edits, graph, palette, templates

SUBGRAPHED = "image_ming_image_01_design_t2i"


def template(name: str) -> dict[str, Any]:
    return next(t for t in templates.all_templates() if t.name == name).load()


def texts(document: dict[str, Any], seed: int, count: int) -> list[bytes]:
    return [templates.compact(step.document) for step in edits.session(document, seed, count)]


def dangling(workflow: dict[str, Any]) -> set[tuple[int, str, int, int]]:
    """Every place where two records of one link disagree: (graph, what, node, link)."""
    found = set()
    for number, each in enumerate(graph.graphs(workflow)):
        nodes = {node["id"]: node for node in each.nodes}
        links = {end.id: end for end in map(graph.ends, each.links)}
        for node in each.nodes:
            for slot, socket in enumerate(node.get("inputs") or []):
                link = socket.get("link")
                if link is not None and (
                    link not in links or links[link][3:] != (node["id"], slot)
                ):
                    found.add((number, "input", node["id"], link))
            for slot, socket in enumerate(node.get("outputs") or []):
                for link in socket.get("links") or []:
                    if link not in links or links[link][1:3] != (node["id"], slot):
                        found.add((number, "output", node["id"], link))
        for end in links.values():
            for node_id in (end.origin, end.target):
                if node_id >= 0 and node_id not in nodes:
                    found.add((number, "link", node_id, end.id))
    return found


def mirrored(node: graph.Node) -> bool:
    """Whether the node names its widget values, and they are the ones of its list."""
    return list((node.get("widgets_values_named") or {}).values()) == node.get("widgets_values")


def test_templates_are_ordered_workflows_without_catalogues() -> None:
    every = templates.all_templates()
    assert len(every) == 759
    assert [t.size for t in every] == sorted(t.size for t in every)
    assert not [t.name for t in every if t.name.startswith("index")]
    assert templates.around(templates.MEDIAN)[0] == every[379]
    assert templates.around(templates.P90)[0] == every[683]
    assert templates.around(templates.P90, 10) == every[678:688]
    assert templates.around(1.0, 3) == every[-3:]


def test_size_is_that_of_the_compact_text() -> None:
    median = templates.around(templates.MEDIAN)[0]
    assert median.size == len(templates.compact(median.load()))
    assert median.load() is not median.load()


def test_one_seed_gives_one_session() -> None:
    first = texts(template(SUBGRAPHED), 7, 60)
    assert first == texts(template(SUBGRAPHED), 7, 60)
    assert first[0] == texts(template(SUBGRAPHED), 8, 1)[0]
    assert first[1:] != texts(template(SUBGRAPHED), 8, 60)[1:]


def test_sessions_are_the_ones_that_were_measured() -> None:
    """A change of the generator makes results incomparable: it must be meant."""
    last = texts(template(SUBGRAPHED), 1, 200)[-1]
    assert hashlib.sha256(last).hexdigest()[:16] == "54f7792d98f54252"


@pytest.mark.parametrize("fraction", [0.0, 0.25, templates.MEDIAN, 0.75, templates.P90, 1.0])
def test_every_twenty_edits_have_the_mix_and_each_changes_the_text(fraction: float) -> None:
    document = templates.around(fraction)[0].load()
    kinds, previous = [], b""
    for step in edits.session(document, 3, 100):
        text = templates.compact(step.document)
        assert text != previous, step.kind
        previous = text
        kinds.append(step.kind)
    assert kinds[0] == edits.START
    for start in range(1, 101, 20):
        assert Counter(kinds[start : start + 20]) == {
            edits.WIDGET: 11,
            edits.PROMPT: 3,
            edits.MOVE: 4,
            edits.NODE: 2,
        }


@pytest.mark.parametrize("at", range(0, 759, 40))
def test_links_stay_sound_and_ids_only_grow(at: int) -> None:
    document = templates.all_templates()[at].load()
    before = dangling(document)
    highest = int(document.get("last_node_id") or 0)
    for step in edits.session(document, at, 80):
        assert dangling(step.document) <= before
        assert int(step.document["last_node_id"]) >= highest
        highest = int(step.document["last_node_id"])
        for each in graph.graphs(step.document):
            ids = [node["id"] for node in each.nodes]
            assert len(ids) == len(set(ids))


def test_edits_write_what_the_editor_writes() -> None:
    document = template(SUBGRAPHED)
    start = json.loads(templates.compact(document))
    inner = document["definitions"]["subgraphs"][0]["nodes"]
    in_step = {node["id"] for node in inner if mirrored(node)}
    assert in_step
    seeds: set[int] = set()
    for _ in edits.session(document, 1, 200):
        values = [value for node in inner for value in node.get("widgets_values") or []]
        seeds |= {value for value in values if type(value) is int and value > 2**32}
        assert all(mirrored(node) for node in inner if node["id"] in in_step)
    assert len(seeds) > 10
    assert max(seeds) < edits.SEED_LIMIT
    assert document["extra"]["ds"] != start["extra"]["ds"]
    assert document["last_node_id"] > start["last_node_id"]
    assert document["last_link_id"] > start["last_link_id"]
    assert list(document) == list(start)


def test_a_removed_node_takes_its_links_along() -> None:
    document = template("flux_fill_outpaint_example")
    (where,) = graph.graphs(document)
    sampler = next(node for node in where.nodes if node["type"] == "KSampler")
    joined = {e.id for e in map(graph.ends, where.links) if sampler["id"] in (e.origin, e.target)}
    assert len(joined) == 5
    graph.remove_node(where, sampler)
    assert not joined & {graph.ends(link).id for link in where.links}
    assert dangling(document) == set()
    assert sorted(node["order"] for node in where.nodes) == list(range(len(where.nodes)))


def test_choice_widgets_offer_what_they_hold() -> None:
    assert palette.choices("euler") == palette.SAMPLERS
    assert palette.choices("a.safetensors") == palette.MODELS
    assert palette.choices("a free text") is None
