"""What is looks and what is not: the same graph, reported apart, and nothing passed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from casstore import workflow
from casstore.workflow import looks
from tests.workflow.builders import Document, api, edited, node, subgraphed, ui

Edit = Callable[[Document], object]


def renumber(document: Document) -> None:
    """All links under other numbers, everywhere."""
    for link in document["links"]:
        link[0] += 100
    for each in document["nodes"]:
        for socket in each.get("inputs", []):
            socket["link"] = socket["link"] and socket["link"] + 100
        for socket in each["outputs"]:
            socket["links"] = socket["links"] and [link + 100 for link in socket["links"]]


def as_objects(document: Document) -> None:
    """Links as objects, as newer schemas write them."""
    names = ("id", "origin_id", "origin_slot", "target_id", "target_slot", "type")
    document["links"] = [dict(zip(names, link, strict=True)) for link in document["links"]]


def rerouted(document: Document) -> None:
    as_objects(document)
    document["links"][0]["parentId"] = 1
    document["extra"]["reroutes"] = [{"id": 1, "pos": [1, 2], "linkIds": [1]}]


NODE_LOOKS: list[tuple[Edit, str]] = [
    (lambda d: node(d, 3).update(pos=[1, 2]), "moved"),
    (lambda d: node(d, 3).update(pos={"0": 1, "1": 2}), "moved"),
    (lambda d: node(d, 3).update(pos={"0": 800, "1": 100}), looks.OTHER),
    (lambda d: node(d, 3).update(pos=[800.0, 100.0]), looks.OTHER),
    (lambda d: node(d, 3).update(pos=None), "moved"),
    (lambda d: node(d, 3).pop("pos"), "moved"),
    (lambda d: node(d, 4).update(size=[1, 1]), "resized"),
    (lambda d: node(d, 3).update(color="#fff"), "recoloured"),
    (lambda d: node(d, 3).update(bgcolor=None), "recoloured"),
    (lambda d: node(d, 3).update(flags={"collapsed": True}), "folded or pinned"),
    (lambda d: node(d, 3).update(showAdvanced=True), "folded or pinned"),
    (lambda d: node(d, 3).update(order=9), looks.ORDER),
    (lambda d: node(d, 3).update(shape=2), "reshaped"),
    (lambda d: node(d, 3)["inputs"][0].update(localized_name="Modell"), "redrawn"),
    (lambda d: node(d, 4)["outputs"][0].pop("slot_index"), "redrawn"),
    (lambda d: node(d, 3)["inputs"][2].pop("link"), looks.OTHER),
    (lambda d: node(d, 4)["outputs"][2].update(links=[]), looks.OTHER),
    (lambda d: node(d, 4)["outputs"][1]["links"].reverse(), looks.OTHER),
    (lambda d: node(d, 4).update(inputs=[]), looks.OTHER),
]

OTHER_LOOKS: list[tuple[Edit, str, str]] = [
    (lambda d: d["groups"][0].update(bounding=[0, 0, 440, 500]), "group", "moved"),
    (lambda d: d["groups"][0].update(bounding=[390, 80, 1, 1]), "group", "resized"),
    (lambda d: d["groups"][0].update(color="#000"), "group", "recoloured"),
    (lambda d: d["groups"][0].update(font_size=48), "group", "resized"),
    (lambda d: d["extra"].update(ds={"scale": 2, "offset": [5, 5]}), "workflow", "view moved"),
    (lambda d: d["extra"].pop("ds"), "workflow", "view moved"),
    (lambda d: d["extra"].update(frontendVersion="2"), "workflow", looks.EDITOR),
    (lambda d: d.update(last_link_id=99), "workflow", looks.COUNTERS),
    (lambda d: d.update(revision=5), "workflow", looks.COUNTERS),
    (lambda d: d.update(state={"lastNodeId": 1}), "workflow", looks.COUNTERS),
    (lambda d: d["nodes"].reverse(), "workflow", looks.LISTS),
    (lambda d: d["links"].reverse(), "workflow", looks.LISTS),
    (renumber, "workflow", looks.RENUMBERED),
    (as_objects, "workflow", looks.OTHER),
    (lambda d: d.update(links={str(x[0]): x for x in d["links"]}), "workflow", looks.OTHER),
    (lambda d: d.update(floatingLinks=[{"id": 1}]), "workflow", looks.REROUTES),
    (lambda d: d.update(definitions={"subgraphs": []}), "workflow", looks.OTHER),
    (lambda d: d.update(definitions=None), "workflow", looks.OTHER),
]


@pytest.mark.parametrize(("edit", "what"), NODE_LOOKS, ids=range(len(NODE_LOOKS)))
def test_how_a_node_looks(edit: Edit, what: str) -> None:
    found = workflow.diff(ui(), edited(ui(), edit))
    assert [(look.target, look.what) for look in found.cosmetic] == [("node", what)]
    assert found.same_graph
    assert workflow.same_graph(ui(), edited(ui(), edit))
    assert not found.empty


@pytest.mark.parametrize(("edit", "target", "what"), OTHER_LOOKS, ids=range(len(OTHER_LOOKS)))
def test_how_all_else_looks(edit: Edit, target: str, what: str) -> None:
    found = workflow.diff(ui(), edited(ui(), edit))
    assert [(look.target, look.what) for look in found.cosmetic] == [(target, what)]
    assert found.same_graph
    assert workflow.same_graph(ui(), edited(ui(), edit))


def test_dots_that_links_are_drawn_through_are_looks() -> None:
    before = edited(ui(), as_objects)
    found = workflow.diff(before, edited(ui(), rerouted))
    assert [look.what for look in found.cosmetic] == [looks.REROUTES]
    assert [change.path for change in found.cosmetic[0].changes] == [
        "/extra/reroutes",
        "/links/0/parentId",
    ]
    assert found.same_graph


def test_how_a_subgraph_looks() -> None:
    def edit(document: Document) -> None:
        [outer] = document["definitions"]["subgraphs"]
        outer["inputNode"]["bounding"] = [1, 1, 1, 1]
        outer["outputs"][0]["pos"] = [1, 1]
        outer["state"]["lastNodeId"] = 9
        outer["nodes"][0]["pos"] = [1, 1]

    found = workflow.diff(subgraphed(), edited(subgraphed(), edit))
    assert [(look.target, look.what, look.graph) for look in found.cosmetic] == [
        ("node", "moved", ("Outer",)),
        ("subgraph", looks.COUNTERS, ("Outer",)),
        ("subgraph", "moved", ("Outer",)),
        ("subgraph", "redrawn", ("Outer",)),
    ]
    assert found.same_graph


def test_subgraphs_in_another_order_are_the_same_graph() -> None:
    def second(document: Document) -> None:
        copy = edited(document["definitions"]["subgraphs"][0], lambda s: s.update(id="third"))
        document["definitions"]["subgraphs"].append(copy)

    two = edited(subgraphed(), second)
    turned = edited(two, lambda d: d["definitions"]["subgraphs"].reverse())
    found = workflow.diff(two, turned)
    assert [look.what for look in found.cosmetic] == [looks.LISTS]
    assert workflow.identity(two) == workflow.identity(turned)


def test_looks_are_reported_beside_all_else() -> None:
    def edit(document: Document) -> None:
        node(document, 3).update(pos=[1, 1], mode=4)
        node(document, 6)["size"] = [1, 1]
        document["links"][3][0] = 9
        node(document, 3)["inputs"][1]["link"] = 9
        node(document, 6)["outputs"][0]["links"] = [9]

    found = workflow.diff(ui(), edited(ui(), edit))
    assert [change.node.id for change in found.nodes] == [3]
    assert sorted(look.what for look in found.cosmetic) == ["links renumbered", "moved", "resized"]
    assert workflow.summary(found) == "KSampler #3: bypassed; 1 node resized; 1 node moved"


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: node(d, 3).update(title="x"),
        lambda d: node(d, 3).update(mode=4),
        lambda d: node(d, 3)["inputs"][0].update(label="x"),
        lambda d: node(d, 3)["inputs"][0].update(type="*"),
        lambda d: node(d, 3)["properties"].update(ver="2"),
        lambda d: d["groups"][0].update(title="x"),
        lambda d: d.update(id="other"),
        lambda d: d.update(version=1),
        lambda d: d["config"].update(links_ontop=True),
        lambda d: node(d, 3).update(id="3"),
        lambda d: d["links"][0].append("more"),
    ],
)
def test_all_else_is_more_than_looks(edit: Edit) -> None:
    assert not workflow.same_graph(ui(), edited(ui(), edit))
    assert not workflow.diff(ui(), edited(ui(), edit)).same_graph


def test_the_api_format_has_no_looks() -> None:
    found = workflow.diff(api(), edited(api(), lambda d: d["3"].update(pos=[1, 2])))
    assert found.cosmetic == ()
    assert not found.same_graph


# Identities


def test_identities_are_the_ones_that_were_stored() -> None:
    """They are kept by whoever asked for them: a change of the form needs another version."""
    assert workflow.IDENTITY_VERSION == 1
    assert [workflow.identity(make()).hex()[:16] for make in (ui, api, subgraphed)] == [
        "385ef5ee99e2f868",
        "907b2555a7d3a4f9",
        "4bed03228273421b",
    ]


@pytest.mark.parametrize("seven", [7, 7.0, "7", True, None, [7]])
def test_identities_tell_types_apart(seven: Any) -> None:
    others = [7, 7.0, "7", True, None, [7]]
    documents = [{"1": {"class_type": "A", "inputs": {"x": value}}} for value in others]
    mine = workflow.identity({"1": {"class_type": "A", "inputs": {"x": seven}}})
    assert sum(workflow.identity(document) == mine for document in documents) == 1
