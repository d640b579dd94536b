"""Tells which links two graphs have in common, and whether those are written differently."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from casstore.workflow import looks
from casstore.workflow.changes import ValueChange
from casstore.workflow.exact import MISSING, exact_token, same
from casstore.workflow.links import LOOK, Link, LinkTable
from casstore.workflow.pointers import step


class CommonLinks:
    """The links that join the same in two graphs, however each graph numbers them."""

    def __init__(self, a: LinkTable, b: LinkTable) -> None:
        self._pairs: list[tuple[Link, Link]] = []
        self._old: dict[Hashable, int] = {}
        self._new: dict[Hashable, int] = {}
        """By each graph's number of a link, the pair it is in, which may be none (-1)."""
        waiting: dict[Hashable, list[Link]] = {}
        for key, link in reversed(a.by_id.items()):
            self._old[key] = -1
            waiting.setdefault(exact_token(link.ends), []).append(link)
        for key, link in b.by_id.items():
            found = waiting.get(exact_token(link.ends))
            self._new[key] = len(self._pairs) if found else -1
            if found:
                old = found.pop()
                self._old[exact_token(old.id)] = len(self._pairs)
                self._pairs.append((old, link))
        self._order = [key for key in a.by_id if self._old[key] != -1]

    def table(self, a: Any, b: Any, path: str) -> Iterator[tuple[str, ValueChange]]:
        """What differs between two tables of links at ``path``, the links' numbers among it."""
        if same(a, b) or not self._pairs:
            return
        rewritten = type(a) is not type(b)
        for old, new in self._pairs:
            if not same(old.id, new.id):
                yield looks.RENUMBERED, ValueChange(path + step(new.step), old.id, new.id)
            raw_old, raw_new = a[old.step], b[new.step]
            if type(raw_old) is not type(raw_new):
                rewritten = True
            elif type(raw_old) is dict:
                dots = raw_old.get(LOOK, MISSING), raw_new.get(LOOK, MISSING)
                if not same(*dots):
                    yield looks.REROUTES, ValueChange(f"{path}{step(new.step)}/{LOOK}", *dots)
        if rewritten:
            yield looks.OTHER, ValueChange(path, a, b)
        elif [self._old[key] for key in self._order] != list(range(len(self._pairs))):
            yield (
                looks.LISTS,
                ValueChange(
                    path,
                    [self._pairs[self._old[key]][0].id for key in self._order],
                    [new.id for _, new in self._pairs],
                ),
            )

    def renamed(self, a: Any, b: Any) -> bool:
        """True where two references, each a link's number, a list of them or nothing, name the
        same links in another form or order. What came and went with its link is left out."""
        if same(a, b):
            return False
        old, new = self._pairs_in(a, self._old), self._pairs_in(b, self._new)
        kept_old, kept_new = [n for n in old if n != -1], [n for n in new if n != -1]
        if kept_old or kept_new:
            return kept_old != kept_new and sorted(kept_old) == sorted(kept_new)
        return not old and not new  # null for an empty list

    @staticmethod
    def _pairs_in(reference: Any, numbers: dict[Hashable, int]) -> list[int]:
        ids = reference if type(reference) is list else [reference]
        return [
            numbers.get(exact_token(link_id), -1)
            for link_id in ids
            if link_id is not None and link_id is not MISSING
        ]
