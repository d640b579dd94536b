"""Frames: what was put in comes out, and anything else is called damaged."""

from __future__ import annotations

import random
import sys
import types
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from casstore import _zstandard, codec
from casstore.documents import MAX_PAYLOAD
from casstore.errors import Damaged, MissingDependency

PAYLOADS = st.one_of(
    st.binary(max_size=300),
    st.builds(bytes.__mul__, st.binary(min_size=1, max_size=40), st.integers(1, 400)),
)

TEXT = b'{"nodes":[{"id":%d,"type":"KSampler","widgets_values":[%d,"fixed",20,8.0]}]}'
BASE = b"".join(TEXT % (n, n * 7919) for n in range(60))
EDITED = BASE.replace(b"7919,", b"7920,", 1)


def _random(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


class TestRoundTrip:
    @given(PAYLOADS, st.none() | PAYLOADS)
    def test_any_payload_over_any_base(self, payload: bytes, base: bytes | None) -> None:
        assert codec.decompress(codec.compress(payload, base), len(payload), base) == payload

    @given(PAYLOADS, st.data())
    def test_an_edit_of_the_base(self, base: bytes, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(base)))
        payload = base[:at] + data.draw(st.binary(max_size=20)) + base[at + 3 :]
        assert codec.decompress(codec.compress(payload, base), len(payload), base) == payload

    def test_an_edit_costs_less_than_a_hundred_bytes(self) -> None:
        assert len(codec.compress(EDITED, BASE)) < 100
        assert len(codec.compress(EDITED)) > 300

    @pytest.mark.parametrize("size", [100_000, 1 << 20, 3 << 20])
    def test_an_edit_in_random_bytes_of_any_size_finds_its_base(self, size: int) -> None:
        base = _random(size)
        payload = base[: size // 2] + b"edited" + base[size // 2 + 6 :]
        frame = codec.compress(payload, base)
        assert len(frame) < 2048
        assert codec.decompress(frame, size, base) == payload

    def test_what_does_not_shrink_grows_by_a_little_only(self) -> None:
        payload = _random(1 << 20)
        assert len(codec.compress(payload)) < 1.001 * len(payload)

    def test_frames_carry_checksum_and_size_and_no_dictionary_id(self) -> None:
        for frame in (codec.compress(EDITED), codec.compress(EDITED, BASE)):
            read = zstandard.get_frame_parameters(frame)
            assert (read.has_checksum, read.content_size, read.dict_id) == (True, len(EDITED), 0)


def _frames() -> list[tuple[bytes, bytes | None]]:
    return [(codec.compress(EDITED), None), (codec.compress(EDITED, BASE), BASE)]


class TestDamage:
    @pytest.mark.parametrize(("frame", "base"), _frames(), ids=["whole", "delta"])
    def test_no_flipped_bit_gives_another_payload(self, frame: bytes, base: bytes | None) -> None:
        noticed = 0
        for at in range(len(frame)):
            for bit in range(8):
                flipped = bytearray(frame)
                flipped[at] ^= 1 << bit
                try:
                    payload = codec.decompress(bytes(flipped), len(EDITED), base)
                except Damaged:
                    noticed += 1
                else:
                    assert payload == EDITED, f"bit {bit} of byte {at}"
        assert noticed > 0.95 * 8 * len(frame)

    @pytest.mark.parametrize(("frame", "base"), _frames(), ids=["whole", "delta"])
    def test_a_cut_frame(self, frame: bytes, base: bytes | None) -> None:
        for length in range(len(frame)):
            with pytest.raises(Damaged):
                codec.decompress(frame[:length], len(EDITED), base)

    @pytest.mark.parametrize(("frame", "base"), _frames(), ids=["whole", "delta"])
    def test_bytes_after_the_frame(self, frame: bytes, base: bytes | None) -> None:
        skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
        for more in (b"\x00", frame, codec.compress(b""), skippable):
            with pytest.raises(Damaged):
                codec.decompress(frame + more, len(EDITED), base)
        with pytest.raises(Damaged):
            codec.decompress(skippable + frame, len(EDITED), base)

    @pytest.mark.parametrize(("frame", "base"), _frames(), ids=["whole", "delta"])
    @pytest.mark.parametrize("size", [0, 1, len(EDITED) - 1, len(EDITED) + 1, -1, 2**60])
    def test_another_size_than_expected(self, frame: bytes, base: bytes | None, size: int) -> None:
        with pytest.raises(Damaged):
            codec.decompress(frame, size, base)

    @pytest.mark.parametrize(
        "base", [None, b"", BASE[:-1], BASE + b"x", _random(len(BASE))], ids=range(5)
    )
    def test_another_base(self, base: bytes | None) -> None:
        with pytest.raises(Damaged):
            codec.decompress(codec.compress(EDITED, BASE), len(EDITED), base)

    @given(st.integers(0, len(BASE) - 1), st.integers(0, 255))
    def test_a_base_with_a_byte_changed_gives_no_other_payload(self, at: int, byte: int) -> None:
        base = BASE[:at] + bytes([byte]) + BASE[at + 1 :]
        try:
            payload = codec.decompress(codec.compress(EDITED, BASE), len(EDITED), base)
        except Damaged:
            return
        assert payload == EDITED  # the delta took nothing from there

    def test_a_forged_size_is_refused_before_anything_is_reserved(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # magic, descriptor: 8-byte size, single segment; the size; one empty raw block
        forged = b"\x28\xb5\x2f\xfd\xe0" + (2**60).to_bytes(8, "little") + b"\x01\x00\x00"
        assert zstandard.get_frame_parameters(forged).content_size == 2**60

        def decode(*arguments: object, **named: object) -> None:
            raise AssertionError("it was decoded")

        real = _zstandard.load()
        guarded = types.SimpleNamespace(**{**vars(real), "ZstdDecompressor": decode})
        monkeypatch.setattr(_zstandard, "load", lambda: guarded)
        for size in (2**60, 100, MAX_PAYLOAD + 1):
            with pytest.raises(Damaged):
                codec.decompress(forged, size)
        large = b"\x28\xb5\x2f\xfd\xe0" + (MAX_PAYLOAD + 1).to_bytes(8, "little") + b"\x01\x00\x00"
        with pytest.raises(Damaged):
            codec.decompress(large, MAX_PAYLOAD + 1)

    def test_a_frame_that_does_not_say_its_size(self) -> None:
        made = zstandard.ZstdCompressor(write_content_size=False).compress(EDITED)
        for size in (len(EDITED), -1, 2**64 - 1):
            with pytest.raises(Damaged):
                codec.decompress(made, size)

    @given(st.binary(max_size=100), st.integers(0, 200))
    def test_bytes_that_are_no_frame(self, data: bytes, size: int) -> None:
        with pytest.raises(Damaged):
            codec.decompress(data, size)

    @given(st.binary(max_size=60), st.integers(0, 60))
    def test_bytes_that_begin_as_a_frame(self, data: bytes, size: int) -> None:
        frame = b"\x28\xb5\x2f\xfd" + data
        try:
            payload = codec.decompress(frame, size)
        except Damaged:
            return
        assert len(payload) == size  # a frame by chance: its digest is what tells


class TestLibrary:
    def test_is_found_without_its_package(self) -> None:
        assert _zstandard._load_c_module().ZstdCompressor

    def test_falls_back_to_its_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delitem(sys.modules, "zstandard.backend_c", raising=False)
        monkeypatch.delitem(sys.modules, "zstandard", raising=False)

        def fails() -> Any:
            raise RuntimeError("private ways may fail in any way")

        monkeypatch.setattr(_zstandard, "_load_c_module", fails)
        assert _zstandard.load().__name__ == "zstandard"

    def test_that_is_missing_is_named_with_the_command_that_installs_it(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delitem(sys.modules, "zstandard.backend_c", raising=False)
        monkeypatch.setitem(sys.modules, "zstandard", None)

        def fails() -> Any:
            raise ImportError("zstandard")

        monkeypatch.setattr(_zstandard, "_load_c_module", fails)
        with pytest.raises(MissingDependency, match="-m pip install zstandard") as caught:
            _zstandard.load()
        assert caught.value.details == {"module": "zstandard"}
