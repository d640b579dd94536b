"""What each kind of edit is reported as: once, and in a workflow's own terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from casstore import workflow
from casstore.workflow import Diff
from tests.workflow.builders import Document, api, edited, node, subgraphed, ui


def diffed(document: Document, edit: Callable[[Document], object]) -> Diff:
    return workflow.diff(document, edited(document, edit))


def changes(document: Document, edit: Callable[[Document], object]) -> dict[str, Any]:
    """The parts of the record that are not empty."""
    found = diffed(document, edit).as_dict()
    names = ("nodes", "groups", "subgraphs", "other", "cosmetic")
    return {name: found[name] for name in names if found[name]}


def only_node(document: Document, edit: Callable[[Document], object]) -> dict[str, Any]:
    """What is reported of the one node that differs, without what names it; nothing else is."""
    found = changes(document, edit)
    assert list(found) == ["nodes"]
    [made] = found["nodes"]
    names = ("graph", "id", "type", "title", "label", "path")
    return {key: value for key, value in made.items() if value != [] and key not in names}


def test_equal_documents_have_an_empty_diff() -> None:
    for make in (ui, api, subgraphed):
        found = workflow.diff(make(), make())
        assert found.empty
        assert found.same_graph
        assert workflow.summary(found) == "no changes"


# Nodes of the editor's format


def test_a_widget_by_its_name() -> None:
    found = diffed(ui(), lambda d: node(d, 3)["widgets_values"].__setitem__(2, 30))
    assert found.as_dict() == {
        "equal": False,
        "same_graph": False,
        "formats": ["ui", "ui"],
        "note": None,
        "nodes": [
            {
                "change": "changed",
                "graph": [],
                "id": 3,
                "type": "KSampler",
                "label": "KSampler #3",
                "path": "/nodes/3",
                "widgets": [{"name": "steps", "position": 2, "before": 20, "after": 30}],
                "wires": [],
                "other": [],
            }
        ],
        "groups": [],
        "subgraphs": [],
        "other": [],
        "cosmetic": [],
    }
    assert workflow.summary(found) == "KSampler #3: steps 20 → 30"


def test_a_number_of_another_type_is_another_value() -> None:
    found = only_node(ui(), lambda d: node(d, 3)["widgets_values"].__setitem__(3, 8))
    [widget] = found["widgets"]
    assert (widget["name"], type(widget["before"]), type(widget["after"])) == ("cfg", float, int)


def test_a_title() -> None:
    found = only_node(ui(), lambda d: node(d, 6).update(title="Positive"))
    assert found == {"change": "changed", "renamed": {"after": "Positive"}}


@pytest.mark.parametrize(("mode", "word"), [(4, "bypassed"), (2, "muted"), (1, "mode 1")])
def test_a_mode(mode: int, word: str) -> None:
    def edit(document: Document) -> None:
        node(document, 6)["mode"] = mode

    assert only_node(ui(), edit) == {"change": "changed", "mode": {"before": 0, "after": mode}}
    assert workflow.summary(diffed(ui(), edit)) == f"CLIPTextEncode #6: {word}"


def test_a_type() -> None:
    def edit(document: Document) -> None:
        node(document, 3)["type"] = "KSamplerAdvanced"

    assert only_node(ui(), edit) == {
        "change": "changed",
        "retyped": {"before": "KSampler", "after": "KSamplerAdvanced"},
    }


def _rewire(document: Document) -> None:
    """The sampler's positive prompt comes from the other node: link 4 went, 5 came."""
    document["links"][3] = [5, 7, 0, 3, 1, "CONDITIONING"]
    document["last_link_id"] = 5
    node(document, 3)["inputs"][1]["link"] = 5
    node(document, 6)["outputs"][0]["links"] = []
    node(document, 7)["outputs"][0]["links"] = [5]


def test_a_link_that_comes_from_elsewhere_is_one_change_of_the_input() -> None:
    found = changes(ui(), _rewire)
    [change] = found["nodes"]
    assert change["label"] == "KSampler #3"
    assert change["wires"] == [
        {
            "input": "positive",
            "before": {
                "node": 6,
                "slot": 0,
                "label": "CLIPTextEncode #6 CONDITIONING",
                "detail": "CONDITIONING",
            },
            "after": {
                "node": 7,
                "slot": 0,
                "label": "CLIPTextEncode #7 CONDITIONING",
                "detail": "CONDITIONING",
            },
        }
    ]
    assert (change["widgets"], change["other"]) == ([], [])
    assert [look["what"] for look in found["cosmetic"]] == ["counters"]
    assert list(found) == ["nodes", "cosmetic"]


def test_a_link_edited_in_the_table_alone_is_seen_too() -> None:
    found = diffed(ui(), lambda d: d["links"][0].__setitem__(2, 2))
    assert workflow.summary(found).startswith(
        "KSampler #3: model from CheckpointLoaderSimple #4 VAE"
    )
    # what the outputs list is at odds with the table now
    assert [(n.node.id, [change.path for change in n.other]) for n in found.nodes] == [
        (4, ["/nodes/0/outputs/0/links", "/nodes/0/outputs/2/links"]),
        (3, []),
    ]


def test_a_link_of_another_type_is_told_by_it() -> None:
    found = only_node(ui(), lambda d: d["links"][3].__setitem__(5, "*"))
    [wire] = found["wires"]
    assert (wire["before"]["detail"], wire["after"]["detail"]) == ("CONDITIONING", "*")


def _remove(document: Document) -> None:
    document["nodes"].remove(node(document, 6))
    document["links"] = [link for link in document["links"] if link[0] not in (2, 4)]
    node(document, 3)["inputs"][1]["link"] = None
    node(document, 4)["outputs"][1]["links"] = [3]


def test_a_node_that_went_and_one_that_came() -> None:
    gone, come = diffed(ui(), _remove), workflow.diff(edited(ui(), _remove), ui())
    assert [(n.change, n.node.label) for n in gone.nodes] == [
        ("changed", "KSampler #3"),
        ("removed", "CLIPTextEncode #6"),
    ]
    assert [(n.change, n.node.label) for n in come.nodes] == [
        ("changed", "KSampler #3"),
        ("added", "CLIPTextEncode #6"),
    ]
    added = come.nodes[1].as_dict()
    assert added["widgets"] == [{"name": "text", "position": 0, "after": "a photo of a cat"}]
    assert [(w["input"], w["before"], w["after"]["label"]) for w in added["wires"]] == [
        ("clip", None, "CheckpointLoaderSimple #4 CLIP")
    ]
    assert gone.nodes[1].as_dict()["widgets"][0]["before"] == "a photo of a cat"
    assert workflow.summary(gone) == "KSampler #3: positive unlinked; removed CLIPTextEncode #6"


def test_a_value_that_a_link_takes_over() -> None:
    """Its input comes with the link, so the link is all there is to tell."""

    def edit(document: Document) -> None:
        document["links"].append([5, 4, 2, 7, 2, "STRING"])
        node(document, 4)["outputs"][2]["links"] = [5]
        socket = {"name": "extra", "type": "STRING", "widget": {"name": "extra"}, "link": 5}
        node(document, 7)["inputs"].append(socket)

    found = only_node(ui(), edit)
    assert [wire["input"] for wire in found["wires"]] == ["extra"]
    assert "other" not in found


def test_all_else_of_a_node_is_told_by_its_path() -> None:
    found = only_node(ui(), lambda d: node(d, 3)["properties"].update({"a/b": {"c": [1]}}))
    assert found["other"] == [{"path": "/nodes/3/properties/a~1b", "after": {"c": [1]}}]


def test_inputs_in_another_order_are_another_graph() -> None:
    found = diffed(ui(), lambda d: node(d, 3)["inputs"].insert(0, node(d, 3)["inputs"].pop()))
    assert not found.same_graph
    assert any(change.path == "/nodes/3/inputs" for change in found.nodes[0].other)


def test_duplicate_ids_are_told_apart_by_their_order() -> None:
    twice = edited(ui(), lambda d: d["nodes"].append({"id": 3, "type": "Note"}))
    found = workflow.diff(twice, edited(twice, lambda d: d["nodes"][4].update(type="Other")))
    [change] = found.nodes
    assert (change.node.path, change.retyped) == ("/nodes/4", ("Note", "Other"))


@pytest.mark.parametrize("odd", [None, 7, "x", [], [[]]])
def test_what_is_no_node_is_reported_among_all_else(odd: Any) -> None:
    found = changes(ui(), lambda d: d["nodes"].append(odd))
    assert found == {"other": [{"path": "/nodes", "after": [odd]}]}


@pytest.mark.parametrize("odd", [None, "x", [1, 2], {"id": 9}, [1, 4, 0, 3, 0, "MODEL"]])
def test_what_is_no_link_is_reported_among_all_else(odd: Any) -> None:
    found = diffed(ui(), lambda d: d["links"].append(odd))
    assert not found.same_graph
    assert found.other[0].path.startswith("/links")


def test_a_link_that_no_input_names_is_reported_by_its_place() -> None:
    found = changes(ui(), lambda d: d["links"].append([9, 4, 0, 99, 0, "MODEL"]))
    assert found["other"] == [{"path": "/links/4", "after": [9, 4, 0, 99, 0, "MODEL"]}]


# Groups, subgraphs, the document


def test_groups() -> None:
    renamed = changes(ui(), lambda d: d["groups"][0].update(title="Words"))
    assert renamed == {
        "groups": [
            {
                "change": "changed",
                "graph": [],
                "title": "Words",
                "path": "/groups/0",
                "renamed": {"before": "Prompts", "after": "Words"},
                "other": [],
            }
        ]
    }
    gone = diffed(ui(), lambda d: d["groups"].clear())
    assert workflow.summary(gone) == "removed group Prompts"
    assert diffed(ui(), lambda d: d["groups"][0].update(x=1)).groups[0].other[0].path == (
        "/groups/0/x"
    )


def _inner(document: Document) -> Document:
    [outer] = document["definitions"]["subgraphs"]
    [inner] = outer["definitions"]["subgraphs"]
    return inner  # type: ignore[no-any-return]


def test_a_node_in_a_subgraph_of_a_subgraph() -> None:
    found = diffed(subgraphed(), lambda d: _inner(d)["nodes"][0]["widgets_values"].insert(0, "y"))
    [change] = found.nodes
    assert change.node.graph == ("Outer", "Inner")
    assert change.node.path == "/definitions/subgraphs/0/definitions/subgraphs/0/nodes/0"
    assert workflow.summary(found).startswith("VAEDecode #1 in Inner: ")


def test_an_instance_is_called_by_the_name_of_its_subgraph() -> None:
    found = diffed(subgraphed(), lambda d: d["nodes"][0]["widgets_values"].append(2))
    assert workflow.summary(found) == "Outer #9: value[1] nothing → 2"
    assert found.nodes[0].node.type == "outer"


def test_a_definition_that_is_renamed_rewired_or_says_something_else() -> None:
    def edit(document: Document) -> None:
        inner = _inner(document)
        inner.update(name="Decode", description="x")
        inner["links"] = inner["links"][:1]
        inner["outputs"][0]["linkIds"] = []
        inner["nodes"][0]["outputs"][0]["links"] = []

    found = diffed(subgraphed(), edit)
    [change] = found.subgraphs
    assert change.renamed == ("Inner", "Decode")
    [wire] = change.wires
    assert (wire.input, wire.before and wire.before.label, wire.after) == (
        "IMAGE",
        "VAEDecode #1 IMAGE",
        None,
    )
    assert [c.path.rsplit("/", 1)[1] for c in change.other] == ["description"]
    assert (found.nodes, found.other, found.cosmetic) == ((), (), ())


def test_what_comes_from_a_subgraph_s_input_says_so() -> None:
    found = diffed(subgraphed(), lambda d: _inner(d)["nodes"][0]["inputs"][0].update(link=None))
    [change] = [node for node in found.nodes if node.wires]
    [wire] = change.wires
    assert wire.before is not None
    assert wire.before.label == "subgraph input samples"


def test_a_definition_that_came_or_went_is_one_change() -> None:
    gone = diffed(subgraphed(), lambda d: d["definitions"]["subgraphs"].clear())
    assert [(s.change, s.name, s.nodes) for s in gone.subgraphs] == [("removed", "Outer", 1)]
    come = workflow.diff(edited(subgraphed(), lambda d: d.pop("definitions")), subgraphed())
    assert [(s.change, s.name) for s in come.subgraphs] == [("added", "Outer")]
    assert come.nodes == ()


def test_all_else_of_a_document_is_told_by_its_path() -> None:
    found = changes(ui(), lambda d: d["extra"].update(info={"author": "x"}))
    assert found == {"other": [{"path": "/extra/info", "after": {"author": "x"}}]}


# The API format


def test_values_and_links_of_the_api_format() -> None:
    def edit(document: Document) -> None:
        document["3"]["inputs"].update(steps=30, model=["12:6", 0], seed=["4", 0])

    found = only_node(api(), edit)
    assert found["widgets"] == [
        {"name": "steps", "position": None, "before": 20, "after": 30},
        {"name": "seed", "position": None, "before": 7},
    ]
    assert [
        (w["input"], w["before"] and w["before"]["label"], w["after"]["label"])
        for w in found["wires"]
    ] == [
        ("seed", None, "CheckpointLoaderSimple #4.0"),
        ("model", "CheckpointLoaderSimple #4.0", "CLIPTextEncode #12:6.0"),
    ]


def test_names_types_and_all_else_of_the_api_format() -> None:
    def edit(document: Document) -> None:
        document["3"].update(class_type="Other", _meta={"title": "S"}, is_changed=[1])
        document["12:6"]["_meta"] = {"x": 1}

    found = diffed(api(), edit)
    prompt, sampler = found.nodes
    assert prompt.other == (("/12:6/_meta/x", prompt.other[0].before, 1),)
    assert (sampler.retyped, sampler.renamed) == (("KSampler", "Other"), ("KSampler", "S"))
    assert [change.path for change in sampler.other] == ["/3/is_changed"]


def test_members_that_are_no_nodes_do_not_keep_the_others_from_being_compared() -> None:
    odd = {**api(), "version": 1, "note": {"text": "x"}}
    found = workflow.diff(odd, edited(odd, lambda d: d["note"].update(text="y") or d.pop("4")))
    assert found.formats == ("api", "api")
    assert [n.change for n in found.nodes if n.node.id == "4"] == ["removed"]
    assert [change.path for change in found.other] == ["/note/text"]


# Wrapped documents, and two formats


def wrapped() -> Document:
    return {"prompt": api(), "extra_data": {"extra_pnginfo": {"workflow": ui()}, "x": 1}}


def test_both_graphs_of_a_wrapped_prompt_are_compared() -> None:
    def edit(document: Document) -> None:
        document["prompt"]["3"]["inputs"]["steps"] = 30
        node(document["extra_data"]["extra_pnginfo"]["workflow"], 3)["widgets_values"][2] = 30
        document["extra_data"]["x"] = 2

    found = diffed(wrapped(), edit)
    assert found.formats == ("wrapped", "wrapped")
    assert [(change.node.path, change.widgets[0].name) for change in found.nodes] == [
        ("/prompt/3", "steps"),
        ("/extra_data/extra_pnginfo/workflow/nodes/3", "steps"),
    ]
    assert [change.path for change in found.other] == ["/extra_data/x"]


def test_a_wrapped_prompt_is_compared_with_the_bare_one() -> None:
    after = {"prompt": edited(api(), lambda d: d["3"]["inputs"].update(steps=30))}
    found = workflow.diff(api(), after)
    assert found.formats == ("api", "wrapped")
    assert workflow.summary(found) == "KSampler #3: steps 20 → 30; format api → wrapped"
    assert found.note is not None
    same = workflow.diff(api(), {"prompt": api()})
    assert not same.same_graph
    assert not same.empty


def test_a_graph_that_stands_elsewhere_is_reported() -> None:
    found = workflow.diff({"prompt": api()}, {"output": api()})
    assert [change.path for change in found.other] == ["/prompt", "/output"]


def test_two_formats_are_not_compared_node_by_node() -> None:
    found = workflow.diff(api(), ui())
    assert found.formats == ("api", "ui")
    assert found.note == (
        "The first document is in API format, the second is in the editor's format, which cannot "
        "be compared node by node. Compare documents of one format."
    )
    assert found.nodes == ()
    assert [change.path for change in found.other] == [""]


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [1, api()], {"nodes": None}, {"a": 1}])
def test_what_is_no_workflow_is_compared_as_the_value_it_is(value: Any) -> None:
    assert workflow.diff(value, {"k": [value]}).other != ()
    assert workflow.diff(value, value).empty
    assert workflow.diff(value, {"k": 1}).formats[0] == "json"


def test_a_document_with_too_many_nodes_is_compared_as_the_value_it_is() -> None:
    many = {"nodes": [{"id": number} for number in range(60_000)], "links": []}
    found = workflow.diff(many, edited(many, lambda d: d["nodes"][5].update(x=1)))
    assert found.formats == ("json", "json")
    assert [change.path for change in found.other] == ["/nodes/5/x"]
    assert workflow.same_graph(many, many)
