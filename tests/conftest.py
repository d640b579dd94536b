"""What every test can rely on: no store of the machine's own is touched, and property tests try
the same examples on every run.

``HYPOTHESIS_PROFILE=thorough`` tries many more, other ones each time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from casstore.location import PROJECT_VARIABLE, STORE_VARIABLE
from casstore.store import Store
from tests.support.stores import ENGINES, Place

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=2000,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def _no_store_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment names no store and no project."""
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)


@pytest.fixture(params=ENGINES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A new store of each backend in turn."""
    made = Place(request.param, tmp_path)
    yield made
    made.close()


@pytest.fixture
def store(place: Place) -> Store:
    """The open store of `place`."""
    return place.open()
