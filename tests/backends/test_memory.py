"""What is particular to the backend in memory."""

from __future__ import annotations

import pytest

from casstore import Store, UsageError
from casstore.backends.memory import MemoryBackend, MemoryData


def test_two_backends_over_the_same_data_are_one_store() -> None:
    data = MemoryData()
    one, other = Store(MemoryBackend(data)), Store(MemoryBackend(data))
    assert one.save("a", {"n": 1}).version_id == 1
    assert other.save("a", {"n": 2}).version_id == 2
    assert one.restore(2).workflow_data == {"n": 2}
    assert Store(MemoryBackend()).info().versions == 0


def test_what_is_held_outlives_the_close_of_its_backend() -> None:
    backend = MemoryBackend()
    with Store(backend) as store:
        store.save("a", {"n": 1})
    assert Store(MemoryBackend(backend.data)).restore(1).workflow_data == {"n": 1}


def test_a_transaction_inside_a_reading_is_refused() -> None:
    backend = MemoryBackend()
    with backend.reading(), pytest.raises(UsageError), backend.transaction():
        raise AssertionError("it began")
    with backend.transaction():
        backend.set_last_version_id(5)
    assert backend.last_version_id() == 5


def test_a_single_call_outside_of_a_block_is_a_transaction_of_its_own() -> None:
    backend = MemoryBackend()
    backend.set_last_version_id(5)
    assert MemoryBackend(backend.data).last_version_id() == 5
