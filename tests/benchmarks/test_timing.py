"""How the benchmarks take times: turns are fair and percentiles are what they are called."""

from __future__ import annotations

from functools import partial

from benchmarks import timing


def test_contestants_take_turns_on_the_same_input() -> None:
    calls: list[tuple[str, int]] = []

    def call(name: str, value: int) -> None:
        calls.append((name, value))

    times = timing.alternate({name: partial(call, name) for name in "abc"}, range(4), warmup=1)
    assert [name for name, _ in calls] == list("abcbcacababc")
    assert [value for _, value in calls] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert {name: len(seconds) for name, seconds in times.items()} == {"a": 3, "b": 3, "c": 3}


def test_percentiles_are_nearest_rank() -> None:
    values = [float(value) for value in range(1, 101)]
    assert timing.percentile(values, 0.5) == 50
    assert timing.percentile(values, 0.99) == 99
    assert timing.percentile([3.0], 0.99) == 3
    assert timing.paired_ratio([2.0, 9.0, 4.0], [1.0, 1.0, 2.0]) == 2
