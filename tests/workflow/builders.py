"""Small workflows written by hand, for tests that state what is found in them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

Document = dict[str, Any]


def ui() -> Document:
    """A loader, two prompts, a sampler and a group, wired as the editor writes it."""
    return {
        "id": "b5c1f7f4-2a0c-4d5e-9f7a-000000000001",
        "revision": 0,
        "last_node_id": 6,
        "last_link_id": 4,
        "nodes": [
            {
                "id": 4,
                "type": "CheckpointLoaderSimple",
                "pos": [0, 0],
                "size": {"0": 315, "1": 98},
                "flags": {},
                "order": 0,
                "mode": 0,
                "outputs": [
                    {"name": "MODEL", "type": "MODEL", "links": [1], "slot_index": 0},
                    {"name": "CLIP", "type": "CLIP", "links": [2, 3], "slot_index": 1},
                    {"name": "VAE", "type": "VAE", "links": None},
                ],
                "properties": {"Node name for S&R": "CheckpointLoaderSimple"},
                "widgets_values": ["sd15.safetensors"],
            },
            _prompt(6, 2, "a photo of a cat"),
            _prompt(7, 3, "blurry"),
            {
                "id": 3,
                "type": "KSampler",
                "pos": [800, 100],
                "size": [315, 262],
                "flags": {},
                "order": 3,
                "mode": 0,
                "inputs": [
                    {"name": "model", "type": "MODEL", "link": 1},
                    {"name": "positive", "type": "CONDITIONING", "link": 4},
                    {"name": "seed", "type": "INT", "widget": {"name": "seed"}, "link": None},
                    {"name": "steps", "type": "INT", "widget": {"name": "steps"}, "link": None},
                    {"name": "cfg", "type": "FLOAT", "widget": {"name": "cfg"}, "link": None},
                ],
                "outputs": [{"name": "LATENT", "type": "LATENT", "links": []}],
                "properties": {},
                "widgets_values": [7, "randomize", 20, 8.0],
            },
        ],
        "links": [
            [1, 4, 0, 3, 0, "MODEL"],
            [2, 4, 1, 6, 0, "CLIP"],
            [3, 4, 1, 7, 0, "CLIP"],
            [4, 6, 0, 3, 1, "CONDITIONING"],
        ],
        "groups": [{"id": 1, "title": "Prompts", "bounding": [390, 80, 440, 500], "color": "#3f7"}],
        "config": {},
        "extra": {"ds": {"scale": 1.0, "offset": [0, 0]}, "frontendVersion": "1.40.0"},
        "version": 0.4,
    }


def _prompt(node_id: int, link: int, text: str) -> Document:
    return {
        "id": node_id,
        "type": "CLIPTextEncode",
        "pos": [400, 100 * node_id],
        "size": [420, 160],
        "flags": {},
        "order": 1,
        "mode": 0,
        "inputs": [
            {"name": "clip", "type": "CLIP", "link": link},
            {"name": "text", "type": "STRING", "widget": {"name": "text"}, "link": None},
        ],
        "outputs": [
            {"name": "CONDITIONING", "type": "CONDITIONING", "links": [4] if node_id == 6 else None}
        ],
        "properties": {},
        "widgets_values": [text],
    }


def api() -> Document:
    """The same as ComfyUI executes it."""
    return {
        "4": {
            "class_type": "CheckpointLoaderSimple",
            "inputs": {"ckpt_name": "sd15.safetensors"},
            "_meta": {"title": "Load Checkpoint"},
        },
        "12:6": {
            "class_type": "CLIPTextEncode",
            "inputs": {"text": "a photo of a cat", "clip": ["4", 1]},
        },
        "3": {
            "class_type": "KSampler",
            "inputs": {"seed": 7, "steps": 20, "model": ["4", 0], "positive": ["12:6", 0]},
            "_meta": {"title": "KSampler"},
        },
    }


def subgraphed() -> Document:
    """A workflow whose subgraph defines another one inside itself."""
    inner = _definition("inner", "Inner", "VAEDecode")
    outer = _definition("outer", "Outer", "inner")
    outer["definitions"] = {"subgraphs": [inner]}
    return {
        "last_node_id": 9,
        "nodes": [{"id": 9, "type": "outer", "widgets_values": [1]}],
        "links": [],
        "definitions": {"subgraphs": [outer]},
        "version": 0.4,
    }


def _definition(subgraph_id: str, name: str, kind: str) -> Document:
    return {
        "id": subgraph_id,
        "version": 1,
        "state": {"lastNodeId": 1, "lastLinkId": 2},
        "name": name,
        "inputNode": {"id": -10, "bounding": [0, 0, 120, 60]},
        "outputNode": {"id": -20, "bounding": [900, 0, 120, 60]},
        "inputs": [{"id": "i", "name": "samples", "type": "LATENT", "linkIds": [1]}],
        "outputs": [{"id": "o", "name": "IMAGE", "type": "IMAGE", "linkIds": [2]}],
        "nodes": [
            {
                "id": 1,
                "type": kind,
                "pos": [300, 0],
                "inputs": [{"name": "samples", "type": "LATENT", "link": 1}],
                "outputs": [{"name": "IMAGE", "type": "IMAGE", "links": [2]}],
                "widgets_values": ["x"],
            }
        ],
        "links": [
            _link(1, -10, 1, "LATENT"),
            _link(2, 1, -20, "IMAGE"),
        ],
        "groups": [],
    }


def _link(number: int, origin: int, target: int, kind: str) -> Document:
    return {
        "id": number,
        "origin_id": origin,
        "origin_slot": 0,
        "target_id": target,
        "target_slot": 0,
        "type": kind,
    }


def edited(document: Document, edit: Callable[[Document], object]) -> Document:
    """A copy of the document after an edit in place."""
    made = copy.deepcopy(document)
    edit(made)
    return made


def node(document: Document, node_id: int) -> Document:
    """The node with this id."""
    [found] = [each for each in document["nodes"] if each["id"] == node_id]
    return found  # type: ignore[no-any-return]
