"""A sky travels between processes as it is."""

import dataclasses
import zlib

import msgspec
import numpy as np
import pytest

from skywatch.picture.state.sky import COLUMNS, Sky, empty_sky, from_bytes, moment_of, to_bytes


def sky_of(*hexes: str) -> Sky:
    columns = {name: np.zeros(len(hexes), dtype=dtype) for name, dtype in COLUMNS.items()}
    encoded = [msgspec.json.encode({"hex": address}) for address in hexes]
    details = [b'"r":"HB-IJS"' if address == "4b1620" else b"" for address in hexes]
    return Sky("e", 7, 12.5, 99, list(hexes), columns, encoded, details, ("abcdef",), ("roof",), (47.0, 8.0))


def test_a_sky_comes_back_from_bytes_as_it_was():
    sky = sky_of("4b1620", "3c6444")
    back = from_bytes(to_bytes(sky))
    assert (back.epoch, back.seq, back.now, back.messages) == ("e", 7, 12.5, 99)
    assert back.hexes == sky.hexes
    assert back.encoded == sky.encoded
    assert back.details == sky.details
    assert back.left == ("abcdef",)
    assert back.station == (47.0, 8.0)
    for name in COLUMNS:
        assert back.columns[name].dtype == sky.columns[name].dtype
        assert np.array_equal(back.columns[name], sky.columns[name])


def test_details_are_only_for_those_who_may_see_them():
    sky = sky_of("4b1620", "3c6444")
    assert sky.bodies([0, 1], details=True) == b'[{"hex":"4b1620","r":"HB-IJS"},{"hex":"3c6444"}]'
    assert sky.bodies([0, 1], details=False) == b'[{"hex":"4b1620"},{"hex":"3c6444"}]'
    assert sky.aircraft("4b1620", details=False) == {"hex": "4b1620"}
    assert sky.aircraft("000000") is None


def test_an_empty_sky_travels_too():
    assert len(from_bytes(to_bytes(empty_sky(5.0)))) == 0


@pytest.mark.parametrize("data", [b"", b"\x00", b"garbage", to_bytes(sky_of("4b1620"))[:-3]])
def test_what_is_not_a_sky_is_refused(data):
    with pytest.raises(ValueError):
        from_bytes(data)


def test_a_sky_that_would_be_too_large_is_refused(monkeypatch):
    data = to_bytes(sky_of("4b1620"))
    monkeypatch.setattr("skywatch.picture.state.sky.MAX_BYTES", 100)
    with pytest.raises(ValueError, match="too large"):
        from_bytes(data)


@pytest.mark.parametrize("epoch", ["", "e", "f" * 31, "0" * 32, "x" * 200])
@pytest.mark.parametrize("seq", [0, 1, 127, 128, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32])
def test_the_moment_of_a_sky_is_read_without_the_rest(epoch, seq):
    data = to_bytes(dataclasses.replace(sky_of("4b1620", "3c6444"), epoch=epoch, seq=seq))
    assert moment_of(data) == (epoch, seq)
    assert moment_of(data[: len(data) // 2]) in ((epoch, seq), None)


@pytest.mark.parametrize(
    "data", [b"", b"garbage", zlib.compress(b""), zlib.compress(b"\\xdc\\x00"), zlib.compress(b"\\x92\\xa1")]
)
def test_what_is_not_a_sky_has_no_moment(data):
    assert moment_of(data) is None
