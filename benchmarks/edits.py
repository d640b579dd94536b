"""Edit sessions over a real workflow, the same for the same seed: what a store is measured on.

Of every twenty edits eleven change a widget (55%), three change words of a prompt (15%), four move
nodes or the viewport (20%) and two add or remove a node (10%), in an order drawn by the seed. The
proportions are exact in every twenty, so two sessions differ in content and not in mix.

What the editor writes for each action is written here: seeds are integers below 2**50 (the range
its "randomize" draws from), a viewport is three full-precision floats in ``extra.ds``, positions
are whole pixels, ``widgets_values_named`` follows ``widgets_values``, and node changes keep links,
ids and the execution order in step (``graph.py``).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks import graph, palette

START = "start"
WIDGET = "widget"
PROMPT = "prompt"
MOVE = "move"
NODE = "node"

MIX = (WIDGET,) * 11 + (PROMPT,) * 3 + (MOVE,) * 4 + (NODE,) * 2

# A queued prompt re-draws its seed, so seeds are the widgets that change most.
SEED_SHARE = 0.4
SEED_LIMIT = 2**50


class Step(NamedTuple):
    """One state of a session. ``document`` is the live value: copy it to keep it."""

    kind: str
    document: dict[str, Any]


class _Slot(NamedTuple):
    """One widget value: where it is in its node."""

    node: graph.Node
    at: int

    @property
    def value(self) -> Any:
        return self.node["widgets_values"][self.at]

    def set(self, value: object) -> None:
        old, self.node["widgets_values"][self.at] = self.value, value
        named = self.node.get("widgets_values_named")
        if isinstance(named, dict):
            names = list(named)
            at_index = names[self.at : self.at + 1]
            same = [name for name in (*at_index, *names) if named[name] == old]
            if same:
                named[same[0]] = value


def session(document: dict[str, Any], seed: int, edits: int) -> Iterator[Step]:
    """The workflow as it is, then ``edits`` successive states of it.

    ``document`` is changed in place. Equal arguments give equal sessions, on every platform.
    """
    rng = random.Random(seed)
    yield Step(START, document)
    bag: list[str] = []
    for _ in range(edits):
        if not bag:
            bag = list(MIX)
            rng.shuffle(bag)
        kind = bag.pop()
        _EDITS[kind](document, rng)
        yield Step(kind, document)


def _nodes(document: dict[str, Any]) -> list[graph.Node]:
    return [node for each in graph.graphs(document) for node in each.nodes]


def _slots(document: dict[str, Any]) -> Iterator[_Slot]:
    for node in _nodes(document):
        values = node.get("widgets_values")
        for index in range(len(values) if isinstance(values, list) else 0):
            yield _Slot(node, index)


def _change_widget(document: dict[str, Any], rng: random.Random) -> None:
    slots = [slot for slot in _slots(document) if _is_plain(slot.value)]
    seeds = [slot for slot in slots if _is_seed(slot)]
    if seeds and rng.random() < SEED_SHARE:
        rng.choice(seeds).set(rng.randrange(SEED_LIMIT))
    elif slots:
        slot = rng.choice(slots)
        slot.set(rng.randrange(SEED_LIMIT) if _is_seed(slot) else _other(slot.value, rng))
    else:  # a workflow of notes only: the one switch every node has is its bypass
        node = rng.choice(_nodes(document))
        node["mode"] = 0 if node.get("mode") else 4


def _is_plain(value: object) -> bool:
    """Whether the value is one that a widget lets its user step or pick."""
    return isinstance(value, (bool, int, float)) or (
        isinstance(value, str) and palette.choices(value) is not None
    )


def _is_seed(slot: _Slot) -> bool:
    if type(slot.value) is not int:
        return False
    after = slot.node["widgets_values"][slot.at + 1 : slot.at + 2]
    return abs(slot.value) >= 2**32 or after in [[control] for control in palette.CONTROLS]


def _other(value: Any, rng: random.Random) -> object:
    """Another value of the same kind, one step or one pick away."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        step = 64 if value >= 64 and value % 64 == 0 else rng.randint(1, 5)
        return value - step if value > step and rng.random() < 0.5 else value + step
    if isinstance(value, float):
        change = rng.choice((0.01, 0.05, 0.1, 0.5))
        return round(value - change if value > change and rng.random() < 0.5 else value + change, 2)
    return rng.choice([choice for choice in palette.choices(value) or () if choice != value])


def _change_prompt(document: dict[str, Any], rng: random.Random) -> None:
    texts = [
        slot
        for slot in _slots(document)
        if isinstance(slot.value, str) and slot.value.count(" ") >= 2
    ]
    prompts = [slot for slot in texts if slot.node["type"] not in palette.NOTES]
    if prompts or texts:
        slot = rng.choice(prompts or texts)
        slot.set(_reworded(slot.value, rng))
    else:  # no text at all: rename a node
        node = rng.choice(_nodes(document))
        node["title"] = _reworded(str(node.get("title") or node["type"]), rng)


def _reworded(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    new = rng.sample(palette.WORDS, rng.randint(1, 3))
    at = rng.randrange(len(words))
    action = rng.random()
    if action < 0.3 and len(words) > 12:
        del words[at : at + len(new)]
    elif action < 0.6:
        words[at:at] = new
    else:
        words[at : at + len(new)] = new
    changed = " ".join(words)
    return changed if changed != text else f"{text} {new[0]}"


def _move(document: dict[str, Any], rng: random.Random) -> None:
    if rng.random() < 0.5:
        nodes = _nodes(document)
        for node in rng.sample(nodes, min(rng.randint(1, 3), len(nodes))):
            left, top = node["pos"][0], node["pos"][1]
            node["pos"] = [
                round(left) + rng.choice((-1, 1)) * rng.randint(1, 400),
                round(top) + rng.choice((-1, 1)) * rng.randint(1, 400),
            ]
        return
    if not isinstance(document.get("extra"), dict):
        document["extra"] = {}
    old = document["extra"].get("ds") or {"scale": 1.0, "offset": [0.0, 0.0]}
    scale = old["scale"]
    if rng.random() < 0.5:  # one notch of the wheel
        scale = scale * 1.1 if scale < 0.5 or (scale < 4 and rng.random() < 0.5) else scale / 1.1
    document["extra"]["ds"] = {
        "scale": scale,
        "offset": [old["offset"][axis] + rng.uniform(-600, 600) for axis in (0, 1)],
    }


def _add_or_remove(document: dict[str, Any], rng: random.Random) -> None:
    every = graph.graphs(document)
    where = rng.choices(every, [len(each.nodes) + 1 for each in every])[0]
    inner = {each.own.get("id") for each in every if not each.is_root}
    removable = [node for node in where.nodes if node["type"] not in inner]
    if len(removable) > 3 and rng.random() < 0.5:
        graph.remove_node(where, rng.choice(removable))
    else:
        graph.add_node(where, palette.new_node(rng), rng)


_EDITS = {WIDGET: _change_widget, PROMPT: _change_prompt, MOVE: _move, NODE: _add_or_remove}
