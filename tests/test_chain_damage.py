"""Damage of any kind is called damage, stays where it is, and stops nobody from saving."""

from __future__ import annotations

import random
from typing import Any

import pytest

from casstore import codec
from casstore.chains import Chains
from casstore.digests import sha256
from casstore.errors import Damaged
from casstore.records import DELTA, LOOSE, WHOLE
from tests.support.line import Line, edits


@pytest.fixture
def line() -> Line:
    return Line()


def _chain(line: Line, length: int = 6, *, loose: bool = False) -> list[int]:
    ids: list[int] = []
    for payload in edits(length - 1):
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
            new = line.put(edits(6)[6], ids[5], loose=loose)
            line.pack()
            assert Chains(line.backend).payload(new)[0] == edits(6)[6], name
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
        new = line.put(edits(2)[2], second)
        assert Chains(line.backend).payload(new)[0] == edits(2)[2]

    def test_saving_near_a_blob_that_is_missing_ends(self, line: Line) -> None:
        new = line.put(edits(0)[0], 4711)
        assert Chains(line.backend).payload(new)[0] == edits(0)[0]
