"""Chains: every payload comes back and chains stay short."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import chains, codec, documents
from casstore.chains import MAX_DEPTH, Chains
from casstore.digests import sha256
from casstore.errors import Damaged
from casstore.records import DELTA, LOOSE, WHOLE
from tests.support.line import Line, document, edits


@pytest.fixture
def line() -> Line:
    return Line()


class TestShape:
    def test_edits_in_a_row_need_one_whole_frame_and_short_chains(self, line: Line) -> None:
        near = None
        for payload in edits(600):
            near = line.put(payload, near)
        blobs = line.blobs()
        assert [blob.id for blob in blobs if blob.encoding == WHOLE] == [blobs[0].id]
        assert max(blob.depth for blob in blobs) <= 7 + 15 + 4
        assert sum(len(blob.data) for blob in blobs[1:]) / 600 < 120
        line.assert_short()
        line.assert_exact()

    def test_strides_decide_which_ancestor_is_the_base(self, line: Line) -> None:
        near, ids = None, []
        for payload in edits(300):
            near = line.put(payload, near)
            ids.append(near)
        for position, blob in enumerate(line.blobs()):
            step = 128 if position % 128 == 0 else 16 if position % 16 == 0 else 1
            assert blob.position == position
            assert blob.base == (ids[position - step] if position else None)

    @pytest.mark.parametrize("strides", [(), (16,), (2,)])
    def test_the_bound_holds_without_the_help_of_strides(
        self, line: Line, monkeypatch: pytest.MonkeyPatch, strides: tuple[int, ...]
    ) -> None:
        monkeypatch.setattr(chains, "STRIDES", strides)
        near = None
        for payload in edits(5 * MAX_DEPTH):
            near = line.put(payload, near)
        line.assert_short()
        line.assert_exact()
        if not strides:
            depths = [blob.depth for blob in line.blobs()]
            assert depths[: MAX_DEPTH + 3] == [*range(MAX_DEPTH + 1), 0, 1]

    @given(st.lists(st.tuples(st.integers(0, 40), st.booleans(), st.booleans()), max_size=120))
    def test_the_bound_holds_for_every_tree_of_edits(
        self, steps: list[tuple[int, bool, bool]]
    ) -> None:
        line = Line()
        ids: list[int] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chains, "MAX_DEPTH", 5)
            for payload, (back, loose, pack) in zip(
                edits(len(steps), size=1500), steps, strict=False
            ):
                near = ids[-1 - back % len(ids)] if ids else None
                ids.append(line.put(payload, near, loose=loose))
                if pack:
                    line.pack()
            line.pack()
        for blob in line.blobs():
            assert len(line.backend.chain(blob.id)) - 1 <= blob.depth <= 5
        line.assert_exact()

    def test_what_has_little_in_common_is_stored_whole(self, line: Line) -> None:
        first = line.put(random.Random(1).randbytes(3000))
        second = line.put(random.Random(2).randbytes(3000), first)
        [blob] = line.backend.chain(second)
        assert (blob.encoding, blob.base, blob.depth, blob.position) == (WHOLE, None, 0, 0)
        line.assert_exact()

    def test_a_delta_is_taken_only_at_half_of_the_whole_frame_or_less(self, line: Line) -> None:
        for seed in range(30):
            texts = edits(1, seed)
            keep = seed * 130
            other = texts[0][:keep] + edits(0, seed + 100)[0][keep:]
            base = line.put(texts[0])
            [blob, *_] = line.backend.chain(line.put(other, base))
            delta, whole = codec.compress(other, texts[0]), codec.compress(other)
            expected = delta if 2 * len(delta) <= len(whole) else whole
            assert blob.data == expected, seed
        assert {blob.encoding for blob in line.blobs()} == {WHOLE, DELTA}


class TestDeduplication:
    def test_undo_and_redo_cost_no_bytes(self, line: Line) -> None:
        payloads = edits(10)
        ids, near = [], None
        for payload in payloads:
            near = line.put(payload, near)
            ids.append(near)
        count = line.backend.counts().blobs
        for payload, blob_id in [*zip(payloads[::-1], ids[::-1], strict=True)]:
            with line.backend.transaction():
                assert line.chains.put(document(payload), near) == (blob_id, True)
                assert line.chains.put_loose(document(payload), near) == (blob_id, True)
            near = blob_id
        assert line.backend.counts().blobs == count

    def test_a_new_edit_after_an_undo_is_made_against_what_was_undone_to(self, line: Line) -> None:
        a, b, c = edits(2)
        first = line.put(a)
        line.put(b, first)
        again = line.put(a, line.put(b, first))
        assert again == first
        [_, base] = line.backend.chain(line.put(c, again))
        assert base.id == first
        line.assert_exact()

    def test_a_loose_payload_is_found_by_a_packed_save_and_the_reverse(self, line: Line) -> None:
        a, b = edits(1)
        assert line.put(a, loose=True) == line.put(a)
        assert line.put(b) == line.put(b, loose=True)
        line.assert_exact()


class TestLoose:
    def test_loose_payloads_are_readable_at_once(self, line: Line) -> None:
        near = None
        for payload in edits(40):
            near = line.put(payload, near, loose=True)
        assert {blob.encoding for blob in line.blobs()} == {LOOSE}
        line.assert_exact()

    def test_packing_gives_the_chains_that_direct_saves_would_have(self, line: Line) -> None:
        direct = Line()
        near = other = None
        for payload in edits(300):
            near = line.put(payload, near, loose=True)
            other = direct.put(payload, other)
        line.pack()
        assert line.blobs() == direct.blobs()
        line.assert_exact()

    def test_a_loose_base_may_be_packed_after_what_is_stored_on_it(self, line: Line) -> None:
        near = None
        for number, payload in enumerate(edits(200)):
            near = line.put(payload, near, loose=number % 3 == 0)
        line.assert_exact()
        for _ in range(70):
            line.pack(1)
            line.assert_short()
        assert line.backend.counts().loose == 0
        line.assert_exact()

    def test_a_loose_payload_whose_base_does_not_help_is_packed_whole(self, line: Line) -> None:
        first = line.put(random.Random(1).randbytes(3000), loose=True)
        second = line.put(random.Random(2).randbytes(3000), first, loose=True)
        third = line.put(random.Random(2).randbytes(3000) + b"edit", second)
        line.pack()
        assert line.backend.blob_header(second).base is None
        line.assert_short()
        line.assert_exact()
        assert [blob.id for blob in line.backend.chain(third)] == [third, second]


class TestVerification:
    def test_a_frame_that_does_not_decode_to_its_payload_is_never_stored(
        self, line: Line, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        a, b = edits(1)
        first = line.put(a)
        loose = line.put(b + b"loose", first, loose=True)
        real = codec.compress
        monkeypatch.setattr(
            codec, "compress", lambda payload, base=None: real(payload[:-1] + b"?", base)
        )
        for attempt in (lambda: line.put(b, first), lambda: line.put(b), line.pack):
            with pytest.raises(Damaged, match="nothing was stored"):
                attempt()
        monkeypatch.undo()
        assert line.backend.find_blob(sha256(b)) is None
        assert line.backend.chain(loose)[0].encoding == LOOSE
        line.assert_exact()

    def test_recent_payloads_are_kept_up_to_a_bound(
        self, line: Line, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chains, "_CACHE_BYTES", 10_000)
        near = None
        for payload in edits(30):
            near = line.put(payload, near)
        held = line.chains._recent
        assert sum(map(len, held.values())) == line.chains._recent_bytes <= 10_000
        assert list(held.values()) == edits(30)[-2:]
        for payload in edits(30)[::-1]:
            line.put(payload)
            line.chains.payload(near or 0)
        assert sum(map(len, held.values())) == line.chains._recent_bytes <= 10_000
        line.put(b"x" * 20_000)
        assert list(held.values()) == [b"x" * 20_000]


def test_documents_of_every_codec_pass_through(line: Line) -> None:
    for value in ({"a": 1}, {"a": float("nan")}, {"\ud83d": 2**70}):
        made = documents.from_value(value, "value")
        with line.backend.transaction():
            blob_id, known = line.chains.put(made, None)
        assert not known
        assert Chains(line.backend).payload(blob_id) == (made.payload, made.codec)
        assert line.backend.chain(blob_id)[0].content_hash == made.content_hash
