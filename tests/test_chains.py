"""Chains: every payload comes back, chains stay short, and damage stays where it is."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import chains, codec, documents
from casstore.backends.memory import MemoryBackend
from casstore.chains import MAX_DEPTH, Chains
from casstore.digests import sha256
from casstore.errors import Damaged
from casstore.records import BINARY, DELTA, LOOSE, WHOLE, Blob, Document


def document(payload: bytes) -> Document:
    return Document(payload, BINARY, sha256(payload), None)


def _text(edits: int, seed: int = 1, size: int = 4000) -> list[bytes]:
    """Successive edits of a text that looks like a workflow's: each changes a few bytes."""
    rng = random.Random(seed)
    text = bytearray(b"".join(b'{"id":%d,"v":%d},' % (n, rng.getrandbits(40)) for n in range(200)))
    made = [bytes(text[:size])]
    for _ in range(edits):
        at = rng.randrange(size - 20)
        text[at : at + 8] = b"%08d" % rng.randrange(10**8)
        made.append(bytes(text[:size]))
    return made


class Line:
    """Chains over a memory backend, with what was put."""

    def __init__(self) -> None:
        self.backend = MemoryBackend()
        self.chains = Chains(self.backend)
        self.put_so_far: dict[int, bytes] = {}

    def put(self, payload: bytes, near: int | None = None, *, loose: bool = False) -> int:
        put = self.chains.put_loose if loose else self.chains.put
        with self.backend.transaction():
            blob_id, _ = put(document(payload), near)
        self.put_so_far[blob_id] = payload
        return blob_id

    def pack(self, limit: int = 10**6) -> None:
        for blob in self.backend.loose_blobs(limit):
            with self.backend.transaction():
                self.chains.pack(blob, document(blob.data))

    def blobs(self) -> list[Blob]:
        return [self.backend.chain(blob_id)[0] for blob_id in sorted(self.put_so_far)]

    def change(self, blob_id: int, **fields: Any) -> None:
        """Changes stored fields behind everybody's back."""
        blobs = self.backend.data.committed.blobs
        blobs[blob_id] = blobs[blob_id]._replace(**fields)

    def assert_exact(self) -> None:
        """Every payload comes back, through a memory of its own that is empty."""
        for blob_id, payload in self.put_so_far.items():
            assert Chains(self.backend).payload(blob_id) == (payload, BINARY)

    def assert_short(self) -> None:
        """No chain is longer than `MAX_DEPTH`, nor than its blob says."""
        for blob in self.blobs():
            links = len(self.backend.chain(blob.id)) - 1
            assert links <= blob.depth <= MAX_DEPTH, blob.id


@pytest.fixture
def line() -> Line:
    return Line()


class TestShape:
    def test_edits_in_a_row_need_one_whole_frame_and_short_chains(self, line: Line) -> None:
        near = None
        for payload in _text(600):
            near = line.put(payload, near)
        blobs = line.blobs()
        assert [blob.id for blob in blobs if blob.encoding == WHOLE] == [blobs[0].id]
        assert max(blob.depth for blob in blobs) <= 7 + 15 + 4
        assert sum(len(blob.data) for blob in blobs[1:]) / 600 < 120
        line.assert_short()
        line.assert_exact()

    def test_strides_decide_which_ancestor_is_the_base(self, line: Line) -> None:
        near, ids = None, []
        for payload in _text(300):
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
        for payload in _text(5 * MAX_DEPTH):
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
                _text(len(steps), size=1500), steps, strict=False
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
            texts = _text(1, seed)
            keep = seed * 130
            other = texts[0][:keep] + _text(0, seed + 100)[0][keep:]
            base = line.put(texts[0])
            [blob, *_] = line.backend.chain(line.put(other, base))
            delta, whole = codec.compress(other, texts[0]), codec.compress(other)
            expected = delta if 2 * len(delta) <= len(whole) else whole
            assert blob.data == expected, seed
        assert {blob.encoding for blob in line.blobs()} == {WHOLE, DELTA}


class TestDeduplication:
    def test_undo_and_redo_cost_no_bytes(self, line: Line) -> None:
        payloads = _text(10)
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
        a, b, c = _text(2)
        first = line.put(a)
        line.put(b, first)
        again = line.put(a, line.put(b, first))
        assert again == first
        [_, base] = line.backend.chain(line.put(c, again))
        assert base.id == first
        line.assert_exact()

    def test_a_loose_payload_is_found_by_a_packed_save_and_the_reverse(self, line: Line) -> None:
        a, b = _text(1)
        assert line.put(a, loose=True) == line.put(a)
        assert line.put(b) == line.put(b, loose=True)
        line.assert_exact()


class TestLoose:
    def test_loose_payloads_are_readable_at_once(self, line: Line) -> None:
        near = None
        for payload in _text(40):
            near = line.put(payload, near, loose=True)
        assert {blob.encoding for blob in line.blobs()} == {LOOSE}
        line.assert_exact()

    def test_packing_gives_the_chains_that_direct_saves_would_have(self, line: Line) -> None:
        direct = Line()
        near = other = None
        for payload in _text(300):
            near = line.put(payload, near, loose=True)
            other = direct.put(payload, other)
        line.pack()
        assert line.blobs() == direct.blobs()
        line.assert_exact()

    def test_a_loose_base_may_be_packed_after_what_is_stored_on_it(self, line: Line) -> None:
        near = None
        for number, payload in enumerate(_text(200)):
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
        a, b = _text(1)
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
        for payload in _text(30):
            near = line.put(payload, near)
        held = line.chains._recent
        assert sum(map(len, held.values())) == line.chains._recent_bytes <= 10_000
        assert list(held.values()) == _text(30)[-2:]
        for payload in _text(30)[::-1]:
            line.put(payload)
            line.chains.payload(near or 0)
        assert sum(map(len, held.values())) == line.chains._recent_bytes <= 10_000
        line.put(b"x" * 20_000)
        assert list(held.values()) == [b"x" * 20_000]


def _chain(line: Line, length: int = 6, *, loose: bool = False) -> list[int]:
    ids: list[int] = []
    for payload in _text(length - 1):
        ids.append(line.put(payload, ids[-1] if ids else None, loose=loose))
    line.chains = Chains(line.backend)
    return ids


CHANGES: dict[str, dict[str, Any]] = {
    "no_bytes": {"data": b""},
    "size_of_2_to_the_60": {"size": 2**60},
    "size_zero": {"size": 0},
    "negative_size": {"size": -1},
    "size_of_text": {"size": "4000"},
    "size_of_none": {"size": None},
    "data_of_text": {"data": "text"},
    "data_of_a_number": {"data": 10**12},
    "data_of_none": {"data": None},
    "unknown_encoding": {"encoding": 7},
    "encoding_of_none": {"encoding": None},
    "encoding_loose": {"encoding": LOOSE},
    "encoding_whole": {"encoding": WHOLE},
    "no_base": {"base": None},
    "missing_base": {"base": 4711},
    "another_digest": {"digest": sha256(b"other")},
    "no_digest": {"digest": None},
    "digest_of_text": {"digest": "abc"},
}


class TestDamage:
    @pytest.mark.parametrize("name", CHANGES)
    def test_is_called_so_and_concerns_only_what_is_built_on_it(
        self, line: Line, name: str
    ) -> None:
        ids = _chain(line)
        line.change(ids[3], **CHANGES[name])
        concerned = [ids[3]] if "digest" in name else ids[3:]
        for blob_id in ids:
            if blob_id in concerned:
                with pytest.raises(Damaged) as caught:
                    line.chains.payload(blob_id)
                assert f"blob {blob_id}" in caught.value.message
            else:
                assert line.chains.payload(blob_id)[0] == line.put_so_far[blob_id]

    def test_every_flipped_bit_of_every_blob_is_noticed_or_harmless(self, line: Line) -> None:
        ids = _chain(line, 4)
        whole = line.backend.chain(ids[0])[0].data
        rng = random.Random(1)
        spots = [(i, at, bit) for i in ids[1:] for at in range(60) for bit in range(8)]
        spots += [(ids[0], rng.randrange(len(whole)), rng.randrange(8)) for _ in range(300)]
        noticed = 0
        for blob_id, at, bit in spots:
            stored = line.backend.chain(blob_id)[0].data
            if at >= len(stored):
                continue
            flipped = bytearray(stored)
            flipped[at] ^= 1 << bit
            line.change(blob_id, data=bytes(flipped))
            for each in ids:
                try:
                    payload = Chains(line.backend).payload(each)[0]
                except Damaged:
                    noticed += 1
                else:
                    assert payload == line.put_so_far[each]
            line.change(blob_id, data=stored)
        assert noticed > 1000
        line.assert_exact()

    def test_flipped_bits_of_loose_payloads_are_noticed(self, line: Line) -> None:
        [blob_id] = _chain(line, 1, loose=True)
        stored = line.backend.chain(blob_id)[0].data
        for at in range(0, len(stored), 97):
            line.change(blob_id, data=stored[:at] + bytes([stored[at] ^ 4]) + stored[at + 1 :])
            with pytest.raises(Damaged):
                line.chains.payload(blob_id)

    def test_data_of_two_blobs_in_each_others_place(self, line: Line) -> None:
        ids = _chain(line)
        blobs = [line.backend.chain(i)[0] for i in ids]
        for one, other in [(1, 2), (0, 1), (4, 5)]:
            line.change(ids[one], data=blobs[other].data, size=blobs[other].size)
            line.change(ids[other], data=blobs[one].data, size=blobs[one].size)
            for each in (one, other):
                with pytest.raises(Damaged):
                    Chains(line.backend).payload(ids[each])
            line.change(ids[one], data=blobs[one].data, size=blobs[one].size)
            line.change(ids[other], data=blobs[other].data, size=blobs[other].size)
        line.assert_exact()

    def test_another_base_of_the_same_shape(self, line: Line) -> None:
        ids = _chain(line)
        line.change(ids[4], base=ids[1])
        for damaged in ids[4:]:
            try:
                payload = line.chains.payload(damaged)[0]
            except Damaged:
                continue
            assert payload == line.put_so_far[damaged]

    def test_two_frames_in_one_blob(self, line: Line) -> None:
        ids = _chain(line)
        for blob_id in (ids[0], ids[5]):
            data = line.backend.chain(blob_id)[0].data
            for more in (data, codec.compress(b""), b"\x00"):
                line.change(blob_id, data=data + more)
                with pytest.raises(Damaged):
                    line.chains.payload(blob_id)
            line.change(blob_id, data=data)

    def test_chains_that_refer_back(self, line: Line) -> None:
        ids = _chain(line)
        line.change(ids[0], base=ids[5], encoding=DELTA)
        for blob_id in ids:
            with pytest.raises(Damaged):
                line.chains.payload(blob_id)
        line.change(ids[2], base=ids[2])
        with pytest.raises(Damaged):
            line.chains.payload(ids[2])

    @pytest.mark.parametrize("loose", [False, True])
    def test_does_not_keep_what_comes_after_from_being_saved(self, line: Line, loose: bool) -> None:
        headers: dict[str, dict[str, Any]] = {
            "no_position": {"position": None},
            "depth_of_text": {"depth": "1"},
        }
        for name, change in {**CHANGES, **headers}.items():
            line = Line()
            ids = _chain(line)
            line.change(ids[5], **change)
            new = line.put(_text(6)[6], ids[5], loose=loose)
            line.pack()
            assert Chains(line.backend).payload(new)[0] == _text(6)[6], name
            for blob_id in ids[:5]:
                assert Chains(line.backend).payload(blob_id)[0] == line.put_so_far[blob_id]

    @pytest.mark.parametrize("name", CHANGES)
    def test_a_damaged_payload_that_is_saved_again_is_healed_or_refused(
        self, line: Line, name: str
    ) -> None:
        ids = _chain(line)
        line.change(ids[3], **CHANGES[name])
        if "size" in name or "digest" in name:  # which a blob keeps whatever replaces it
            with pytest.raises(Damaged):
                line.put(line.put_so_far[ids[3]], ids[4])
        else:
            assert line.put(line.put_so_far[ids[3]], ids[4]) == ids[3]
            line.assert_exact()
            line.assert_short()

    @pytest.mark.parametrize("position", [15, 16, 127])
    def test_saving_near_a_chain_that_refers_back_ends(self, line: Line, position: int) -> None:
        first, second = _chain(line, 2)
        line.change(first, base=second, position=position + 100, encoding=DELTA)
        line.change(second, position=position)
        new = line.put(_text(2)[2], second)
        assert Chains(line.backend).payload(new)[0] == _text(2)[2]

    def test_saving_near_a_blob_that_is_missing_ends(self, line: Line) -> None:
        new = line.put(_text(0)[0], 4711)
        assert Chains(line.backend).payload(new)[0] == _text(0)[0]


def test_documents_of_every_codec_pass_through(line: Line) -> None:
    for value in ({"a": 1}, {"a": float("nan")}, {"\ud83d": 2**70}):
        made = documents.from_value(value, "value")
        with line.backend.transaction():
            blob_id, known = line.chains.put(made, None)
        assert not known
        assert Chains(line.backend).payload(blob_id) == (made.payload, made.codec)
        assert line.backend.chain(blob_id)[0].content_hash == made.content_hash
