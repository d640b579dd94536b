"""Times that can be compared: contestants take turns on one input, and only ratios are claimed.

Each round gives one input to every contestant, and the order rotates by one from round to round,
so drift of the machine, a warm cache and a busy neighbour fall on all alike. Garbage: the inputs
and imported modules are frozen out of the collector (``gc.freeze``) and a full collection runs
before each call, outside the time; the collector stays on during the call, so that each contestant
pays for the garbage it makes and for none of its neighbours'.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Times = dict[str, list[float]]


def alternate(
    contestants: Mapping[str, Callable[[Any], object]],
    inputs: Iterable[Any],
    *,
    warmup: int = 5,
    between: Callable[[], object] | None = None,
) -> Times:
    """Seconds per call of each contestant, one per input in input order.

    The first ``warmup`` rounds are run and dropped. ``between`` runs after each call, untimed.
    """
    names = list(contestants)
    times: Times = {name: [] for name in names}
    gc.collect()
    gc.freeze()
    try:
        for turn, value in enumerate(inputs):
            for name in _rotated(names, turn):
                call = contestants[name]
                gc.collect()
                begin = time.perf_counter()
                call(value)
                seconds = time.perf_counter() - begin
                if between is not None:
                    between()
                if turn >= warmup:
                    times[name].append(seconds)
    finally:
        gc.unfreeze()
    return times


def percentile(seconds: Iterable[float], fraction: float) -> float:
    """The smallest value that at least ``fraction`` of all values do not exceed (nearest rank)."""
    ordered = sorted(seconds)
    return ordered[max(0, math.ceil(len(ordered) * fraction) - 1)]


def median(seconds: Iterable[float]) -> float:
    return percentile(seconds, 0.5)


def paired_ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the round-by-round ratios: what one round's disturbance cannot move."""
    return median(our / their for our, their in zip(ours, theirs, strict=True))


def _rotated(names: list[str], turn: int) -> list[str]:
    start = turn % len(names)
    return names[start:] + names[:start]
