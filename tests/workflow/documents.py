"""Workflow documents for property tests: small sound ones, and what may become of them."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.support.exact import difference, shuffled
from tests.support.strategies import VALUES

Document = Any

TYPES = ("KSampler", "CLIPTextEncode", "LoraLoader", "Reroute", "sub-a")
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    -0.0,
    2,
    float("nan"),
    18446744073709552000,
    "",
    "1",
    "12:5",
    "\ud83d",
    [],
    {},
    [None],
    [1, 2, 0, 3, 0, "X"],
    {"0": 1, "1": 2},
    {"nodes": []},
    {"class_type": "K"},
    {"id": 1},
    {"name": "model"},
)


def ui(rng: random.Random, *, inner: bool = True) -> dict[str, Any]:
    """A small sound workflow of the editor."""
    count = rng.randint(0, 5)
    nodes = [_node(rng, number + 1) for number in range(count)]
    made: dict[str, Any] = {
        "id": "00000000-0000-0000-0000-000000000000",
        "revision": 0,
        "last_node_id": count,
        "last_link_id": 0,
        "nodes": nodes,
        "links": [],
        "groups": [_group(rng, number) for number in range(rng.randint(0, 2))],
        "config": {},
        "extra": {"ds": {"scale": 1.0, "offset": [0, 0]}, "frontendVersion": "1.0"},
        "version": 0.4,
    }
    for _ in range(rng.randint(0, 4)):
        connect(rng, made)
    if inner and rng.random() < 0.5:
        made["definitions"] = {"subgraphs": [_subgraph(rng, "sub-a", inner=rng.random() < 0.3)]}
    if rng.random() < 0.1:
        made["links"] = {str(link[0]): link for link in made["links"]}
    return made


def _node(rng: random.Random, number: int) -> dict[str, Any]:
    return {
        "id": number,
        "type": rng.choice(TYPES),
        "pos": [rng.randint(0, 9), 0],
        "size": {"0": 210, "1": 46} if rng.random() < 0.2 else [210, 46],
        "flags": {},
        "order": number - 1,
        "mode": rng.choice((0, 0, 2, 4)),
        "inputs": [
            {"name": "model", "type": "MODEL", "link": None},
            {"name": "steps", "type": "INT", "widget": {"name": "steps"}, "link": None},
        ],
        "outputs": [{"name": "MODEL", "type": "MODEL", "links": rng.choice((None, []))}],
        "properties": {"Node name for S&R": "x"},
        "widgets_values": rng.choice(([1], [20], [1, "fixed"], {"steps": 20}, ["a b c"])),
    }


def _group(rng: random.Random, number: int) -> dict[str, Any]:
    made: dict[str, Any] = {"title": rng.choice("ab"), "bounding": [0, 0, 9, 9], "color": "#000"}
    return {"id": number, **made} if rng.random() < 0.7 else made


def _subgraph(rng: random.Random, name: str, *, inner: bool) -> dict[str, Any]:
    made = ui(rng, inner=inner)
    made["links"] = [
        dict(
            zip(
                ("id", "origin_id", "origin_slot", "target_id", "target_slot", "type"),
                link,
                strict=True,
            )
        )
        for link in (made["links"] if type(made["links"]) is list else made["links"].values())
    ]
    made |= {
        "id": name,
        "name": "Sub A",
        "inputNode": {"id": -10, "bounding": [0, 0, 1, 1]},
        "outputNode": {"id": -20, "bounding": [9, 9, 1, 1]},
        "inputs": [{"id": "i", "name": "in", "type": "MODEL", "linkIds": [], "pos": [0, 0]}],
        "outputs": [{"id": "o", "name": "out", "type": "MODEL", "linkIds": [], "pos": [0, 0]}],
    }
    if made["nodes"]:
        number = 90
        made["links"].append(
            {
                "id": number,
                "origin_id": made["nodes"][0]["id"],
                "origin_slot": 0,
                "target_id": -20,
                "target_slot": 0,
                "type": "MODEL",
            }
        )
        made["outputs"][0]["linkIds"] = [number]
        output = made["nodes"][0]["outputs"][0]
        output["links"] = [*(output["links"] or []), number]
    return made


def connect(rng: random.Random, graph: dict[str, Any]) -> None:
    """Adds a link as the editor does, where an input is free."""
    free = [node for node in graph["nodes"] if node["inputs"][0]["link"] is None]
    if not free:
        return
    target, origin = rng.choice(free), rng.choice(graph["nodes"])
    number = graph["last_link_id"] = graph["last_link_id"] + 1
    target["inputs"][0]["link"] = number
    output = origin["outputs"][0]
    output["links"] = [*(output["links"] or []), number]
    graph["links"].append([number, origin["id"], 0, target["id"], 0, "MODEL"])


def api(rng: random.Random) -> dict[str, Any]:
    """A small sound prompt."""
    made: dict[str, Any] = {}
    for number in range(1, rng.randint(1, 5) + 1):
        key = rng.choice((str(number), f"12:{number}"))
        made[key] = {
            "class_type": rng.choice(TYPES),
            "inputs": {"steps": rng.choice((20, 30)), "text": "a cat"},
            "_meta": {"title": "T"},
        }
        if number > 1:
            made[key]["inputs"]["model"] = [rng.choice(list(made)), 0]
    return made


def wrapped(rng: random.Random) -> dict[str, Any]:
    """A prompt as it is posted to ComfyUI."""
    return {
        "prompt": api(rng),
        "client_id": "x",
        "extra_data": {"extra_pnginfo": {"workflow": ui(rng)}},
    }


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value, as its container and key."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, (dict, list)):
            keys = list(item) if isinstance(item, dict) else range(len(item))
            found += [(item, key) for key in keys]
            stack += [item[key] for key in keys]
    return found


def mutate(rng: random.Random, document: Document) -> None:
    """One change anywhere, sound or not, in place."""
    found = places(document)
    if not found:
        return
    where, key = rng.choice(found)
    kind = rng.choice(("odd", "odd", "drop", "double", "type", "swap", "copy"))
    if kind == "drop":
        del where[key]
    elif kind == "double" and isinstance(where, list):
        where.insert(rng.randint(0, len(where)), copy.deepcopy(where[key]))
    elif kind == "swap" and isinstance(where, list):
        other = rng.randrange(len(where))
        where[key], where[other] = where[other], where[key]
    elif kind == "type" and type(where[key]) is int:
        where[key] = rng.choice((float, bool, str))(where[key])
    elif kind == "copy":
        elsewhere, name = rng.choice(found)
        value = copy.deepcopy(where[key])
        if isinstance(elsewhere, dict) or name < len(elsewhere):
            elsewhere[name] = value
    else:
        where[key] = copy.deepcopy(rng.choice(ODD))


_MAKERS: tuple[Callable[[random.Random], Document], ...] = (ui, ui, api, wrapped)


def pair(seed: int, edits: int, both: bool) -> tuple[Document, Document]:
    """A document, odd itself where ``both``, and what so many edits make of it."""
    rng = random.Random(seed)
    before = rng.choice(_MAKERS)(rng)
    if both:
        for _ in range(rng.randint(1, 3)):
            mutate(rng, before)
    after = copy.deepcopy(before)
    for _ in range(edits):
        mutate(rng, after)
    return before, shuffled(after, rng) if rng.random() < 0.3 else after


PAIRS: st.SearchStrategy[tuple[Document, Document]] = st.one_of(
    st.builds(pair, st.integers(0, 2**32), st.integers(0, 4), st.booleans()),
    st.builds(pair, st.integers(0, 2**32), st.integers(0, 1), st.booleans()),
    st.tuples(VALUES, VALUES),
)
"""Two documents that have much in common, or nothing."""


def ordered(value: Any) -> Any:
    """The value with the keys of every object in one order."""
    made: dict[str, Any] = {}
    # a loop: a document may be 500 levels deep
    stack: list[tuple[Any, Any, Any]] = [(made, "", value)]
    while stack:
        where, key, item = stack.pop()
        if isinstance(item, dict):
            where[key] = dict.fromkeys(sorted(item))
            stack += [(where[key], name, item[name]) for name in item]
        elif isinstance(item, list):
            where[key] = [None] * len(item)
            stack += [(where[key], at, each) for at, each in enumerate(item)]
        else:
            where[key] = item
    return made[""]


def equal(a: Any, b: Any) -> bool:
    """Equal in value and type, keys in any order; found out by other means than the package's."""
    return difference(ordered(a), ordered(b)) is None
