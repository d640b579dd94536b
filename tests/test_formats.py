"""Which of ComfyUI's shapes a value has."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from casstore.formats import API, OTHER, UI, WRAPPED, workflow_format, workflow_id
from tests.support.strategies import VALUES
from tests.support.templates import BLUEPRINTS, files_of

NODE = {"class_type": "KSampler", "inputs": {}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"3": NODE}, API),
        ({"3": NODE, "4": {"class_type": "X"}}, API),
        ({"3": {"class_type": None}}, API),
        ({"3": NODE, "4": {"inputs": {}}}, OTHER),
        ({"3": NODE, "extra": 1}, OTHER),
        ({}, OTHER),
        ({"nodes": [], "links": []}, UI),
        ({"nodes": []}, UI),
        ({"nodes": {}}, OTHER),
        ({"nodes": None, "3": NODE}, OTHER),
        ({"nodes": NODE}, API),
        ({"prompt": {"3": NODE}, "client_id": "c"}, WRAPPED),
        ({"prompt": {}}, OTHER),
        ({"prompt": "a cat"}, OTHER),
        ({"prompt": NODE}, API),
        ([], OTHER),
        ([{"3": NODE}], OTHER),
        (None, OTHER),
        ("nodes", OTHER),
        (1.5, OTHER),
        (True, OTHER),
    ],
    ids=repr,
)
def test_format(value: Any, expected: str) -> None:
    assert workflow_format(value) == expected


@given(VALUES)
def test_every_value_has_one(value: Any) -> None:
    assert workflow_format(value) in (API, UI, WRAPPED, OTHER)
    assert workflow_id(value) is None or isinstance(workflow_id(value), str)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"id": "7f6c", "nodes": []}, "7f6c"),
        ({"id": "", "nodes": []}, None),
        ({"id": 5, "nodes": []}, None),
        ({"id": None, "nodes": []}, None),
        ({"nodes": []}, None),
        ({"id": "7f6c"}, None),
        ({"id": {"class_type": "X"}}, None),
        ([], None),
        (None, None),
    ],
    ids=repr,
)
def test_id(value: Any, expected: str | None) -> None:
    assert workflow_id(value) == expected


def test_real_blueprints_are_of_the_editors_format() -> None:
    import json

    files = files_of(BLUEPRINTS)
    formats = [workflow_format(json.loads(file.read_bytes())) for file in files]
    assert formats.count(UI) > 100
    assert set(formats) <= {UI, OTHER}
