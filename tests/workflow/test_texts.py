"""What people read: the words for values, summaries, and the lines of a comparison."""

from __future__ import annotations

from typing import Any

import pytest

from casstore import workflow
from casstore.workflow.exact import MISSING
from casstore.workflow.texts import lines
from casstore.workflow.words import cut_text, mode_text, name_text, turn_texts, value_text
from tests.workflow.builders import Document, api, edited, node, subgraphed, ui


def text(before: Any, after: Any, width: int = 80) -> str:
    return "\n".join(line.text for line in lines(workflow.diff(before, after), width))


def edit(document: Document) -> None:
    """Some of everything."""
    sampler, prompt = node(document, 3), node(document, 6)
    sampler["widgets_values"] = [12, "fixed", 30, 8.0]
    sampler.update(title="Second pass", mode=4, pos=[1, 1])
    sampler["properties"]["ver"] = "1.2"
    sampler["inputs"][0]["link"] = 5
    prompt["widgets_values"] = [
        "a photo of a cat on a red chair beside the window, morning light, 35 mm, grain"
    ]
    document["nodes"] = [each for each in document["nodes"] if each["id"] != 7]
    document["nodes"].append(
        {
            "id": 8,
            "type": "LoraLoader",
            "title": "Style",
            "inputs": [{"name": "model", "type": "MODEL", "link": 1}],
            "outputs": [{"name": "MODEL", "type": "MODEL", "links": [5]}],
            "widgets_values": ["style.safetensors", 0.8],
        }
    )
    document["links"] = [
        [1, 4, 0, 8, 0, "MODEL"],
        [2, 4, 1, 6, 0, "CLIP"],
        [4, 6, 0, 3, 1, "CONDITIONING"],
        [5, 8, 0, 3, 0, "MODEL"],
    ]
    node(document, 4)["outputs"][1]["links"] = [2]
    document["groups"][0].update(title="Words", bounding=[0, 0, 1, 1])
    document["groups"].append({"id": 2, "title": "New", "bounding": [0, 0, 1, 1]})
    document["extra"]["info"] = {"author": "x"}
    document["extra"]["ds"]["scale"] = 2
    document.update(last_node_id=8, last_link_id=5)


GOLDEN = """\
~ CLIPTextEncode #6
    text
      - "a photo of a cat"
      + "a photo of a cat on a red chair beside the window, morning light, 35 m…
~ KSampler #3 "Second pass"
    title                   nothing → "Second pass"
    mode                    active → bypassed
    seed                    7 → 12
    control_after_generate  "randomize" → "fixed"
    steps                   20 → 30
    model
      - CheckpointLoaderSimple #4 MODEL
      + LoraLoader #8 MODEL
    properties/ver          nothing → "1.2"
+ LoraLoader #8 "Style"
    model     from CheckpointLoaderSimple #4 MODEL
    value[0]  "style.safetensors"
    value[1]  0.8
- CLIPTextEncode #7
~ group "Words"
    title  "Prompts" → "Words"
+ group "New"
~ elsewhere in the document
    /extra/info  nothing → {"author":"x"}
. 1 node moved: KSampler #3
. 1 group moved: Words
. counters
. view moved"""


def test_the_lines_of_a_comparison() -> None:
    assert text(ui(), edited(ui(), edit)) == GOLDEN


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_lines_fit(width: int) -> None:
    found = workflow.diff(ui(), edited(ui(), edit))
    assert max(len(line.text) for line in lines(found, width)) <= width


def test_lines_of_subgraphs_and_links_at_odds() -> None:
    def change(document: Document) -> None:
        [outer] = document["definitions"]["subgraphs"]
        outer["name"] = "Changed"
        outer["links"][0]["type"] = "*"
        outer["nodes"][0]["inputs"].append({"name": "more", "type": "X", "link": 99})
        del outer["definitions"]

    assert (
        text(subgraphed(), edited(subgraphed(), change))
        == """\
- subgraph "Inner", 1 node  in Outer
~ subgraph "Changed"
    name  "Outer" → "Changed"
~ inner #1  in Changed
    samples  subgraph input samples ("LATENT") → subgraph input samples ("*")
    more     nothing → link 99, which is missing"""
    )


def test_equal_documents_have_no_lines() -> None:
    assert text(ui(), ui()) == ""


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (
            None,
            'CLIPTextEncode #6: text "a photo of a cat" '
            '→ "a photo of a cat on a red chair beside…; '
            'KSampler #3: title nothing → "Second pass", bypassed, seed 7 → 12, '
            'control_after_generate "randomize" → "fixed", steps 20 → 30, '
            "model from LoraLoader #8 MODEL, 1 other value; added LoraLoader #8; "
            "removed CLIPTextEncode #7; group Words: was Prompts; added group New; 1 other value; "
            "1 node moved; 1 group moved; view moved",
        ),
        (
            70,
            'CLIPTextEncode #6: text "…cat" → "…cat on a re…; 9 more',
        ),
        (40, "2 nodes changed; 1 node added; 1 node r…"),
    ],
)  # fmt: skip
def test_a_summary_tells_what_fits(width: int | None, line: str) -> None:
    assert workflow.summary(workflow.diff(ui(), edited(ui(), edit)), width) == line


def test_looks_that_nobody_sees_are_told_where_there_is_nothing_else() -> None:
    def counters(document: Document) -> None:
        document["revision"] = 1

    def also(document: Document) -> None:
        counters(document)
        node(document, 3)["pos"] = [1, 1]

    assert workflow.summary(workflow.diff(ui(), edited(ui(), counters))) == "counters"
    assert workflow.summary(workflow.diff(ui(), edited(ui(), also))) == "1 node moved"


def test_a_width_is_measured_as_asked() -> None:
    found = workflow.diff(api(), edited(api(), lambda d: d["3"].update(class_type="采样器" * 9)))
    wide = workflow.summary(found, 30, lambda t: sum(2 if ord(c) > 0x2E80 else 1 for c in t))
    assert sum(2 if ord(c) > 0x2E80 else 1 for c in wide) <= 30
    assert wide.endswith("…")


def test_counts() -> None:
    found = workflow.diff(ui(), edited(ui(), edit))
    assert workflow.statistics(found) == {
        "nodes_changed": 2,
        "nodes_added": 1,
        "nodes_removed": 1,
        "values": 4,
        "links": 1,
        "groups": 2,
        "subgraphs": 0,
        "other": 2,
        "cosmetic": 4,
    }


# Words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.0, "1.0"),
        (True, "true"),
        (None, "null"),
        (MISSING, "nothing"),
        ("a\nb", '"a\\nb"'),
        ("\ud83d", '"\\ud83d"'),
        ("x" * 5_000_000, '"' + "x" * 18 + "…"),
        ([0] * 5_000_000, "list of 5,000,000 i…"),
        (dict.fromkeys(map(str, range(999))), "object of 999 keys"),
        ({"a": [1]}, '{"a":[1]}'),
    ],
)
def test_a_value_takes_few_characters(value: Any, shown: str) -> None:
    assert value_text(value, 20) == shown


def test_of_two_long_texts_the_part_that_differs_is_shown() -> None:
    text = "word " * 100
    assert turn_texts(text + "old end", text + "new", 20) == ('"…word old end"', '"…word new"')
    assert turn_texts("short", "other", 20) == ('"short"', '"other"')
    assert turn_texts(text, 3, 10) == ('"word wor…', "3")
    assert turn_texts("x" + text, "y" + text, 10) == ('"xword wo…', '"yword wo…')


def test_names_are_one_line() -> None:
    assert name_text("a\n b\t" + "c" * 50, 12) == "a b cccccc" + "c…"
    assert name_text(3) == "3"
    assert mode_text(True) == "mode true"
    assert mode_text(MISSING) == "active"


@pytest.mark.parametrize("width", range(4))
def test_a_text_is_cut_to_any_width(width: int) -> None:
    assert len(cut_text("abcdef", width)) <= max(width, 1)
