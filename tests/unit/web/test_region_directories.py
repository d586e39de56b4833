"""Directories of an archive that is broken, or made to harm: they are refused, soon and with a sentence."""

import gzip
import zlib

import pytest
from pmtiles.tile import Entry, deserialize_header, serialize_directory, serialize_header
from pmtiles.tile import write_varint as write

from skywatch.picture.settings import PictureSettings
from skywatch.web.region import cut as cutting
from skywatch.web.region.cut import Region, plan_cut
from skywatch.web.region.errors import RegionFailed
from skywatch.web.region.job import Job
from tests.regions import draw_world

REGION = Region(47.0, 8.0, 9000, 3)


@pytest.fixture(scope="module")
def world():
    return draw_world()


@pytest.fixture
def archive(world):
    """Makes an archive of a root directory, packed, and of leaves that follow each other."""

    def make(root, *leaves):
        header = deserialize_header(world[:127])
        header |= {
            "root_offset": 127,
            "root_length": len(root),
            "metadata_offset": 127 + len(root),
            "metadata_length": 2,
            "leaf_directory_offset": 129 + len(root),
            "tile_data_offset": 129 + len(root) + sum(map(len, leaves)),
        }
        return serialize_header(header) + root + b"{}" + b"".join(leaves)

    return make


def cut(archive, region=REGION):
    return plan_cut(lambda offset, length: archive[offset : offset + length], region)


def packed(*entries):
    return serialize_directory([Entry(*entry) for entry in entries])


def varints(*numbers):
    class Bytes(bytearray):
        write = bytearray.extend

    content = Bytes()
    for number in numbers:
        write(content, number)
    return bytes(content)


def test_directories_made_by_hand_are_read(archive):
    leaf = packed((0, 0, 9, 1), (1, 9, 9, 4))
    assert cut(archive(packed((0, 0, len(leaf), 0), (5, 0, 9, 80)), leaf)).tiles > 5


@pytest.mark.parametrize(
    "entries",
    [
        [(0, 0, 9, 4), (2, 9, 9, 4)],
        [(0, 0, 9, 2**62), (2, 9, 9, 4)],
    ],
)
def test_entries_that_overlap_are_refused(archive, entries):
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        cut(archive(packed(*entries)))


@pytest.mark.parametrize("leaf", [[(0, 0, 9, 1)], [(1, 0, 9, 9)], [(3, 0, 9, 1), (40, 0, 9, 1)]])
def test_a_leaf_that_has_tiles_of_its_neighbours_is_refused(archive, leaf):
    content = packed(*leaf)
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        cut(archive(packed((0, 0, 9, 1), (1, 0, len(content), 0), (5, 9, 9, 80)), content))


@pytest.mark.parametrize(
    "numbers",
    [
        (2, 0, 0, 1, 1, 9, 9, 1, 1),
        (1, 0, 1, 9, 0),
        (1, 0, 1, 9),
        (1, 0, 1, 9, 1, 1),
        (2**40, 0, 1, 9, 1),
        (1, 2**63, 1, 9, 1),
        (2, 2**62, 2**62, 1, 1, 9, 9, 1, 1),
    ],
)
def test_directories_that_no_writer_makes_are_refused(archive, numbers):
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        cut(archive(gzip.compress(varints(*numbers))))


def test_a_number_without_end_is_refused_at_its_eleventh_byte():
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        list(cutting._numbers(b"\x80" * 11))


def test_a_second_member_is_not_unpacked(archive, monkeypatch):
    good = packed((0, 0, 9, 80))
    assert cut(archive(good)).tiles
    bomb = gzip.compress(bytes(5_000_000))
    monkeypatch.setattr(gzip, "decompress", lambda content: pytest.fail("unpacked without a limit"))
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        cut(archive(good + bomb))


def test_a_directory_that_is_no_gzip_is_refused(archive):
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        cut(archive(zlib.compress(b"\x00")))


@pytest.mark.parametrize("limit", ["MOST_MEASURED_BYTES", "MOST_MEASURED_S"])
def test_measuring_ends_when_it_becomes_too_much(world, monkeypatch, limit):
    monkeypatch.setattr(cutting, limit, -1)
    with pytest.raises(RegionFailed, match="takes too long"):
        cut(world)


def job_of(accuracy, latitude, longitude):
    settings = PictureSettings(station_lat=latitude, station_lon=longitude, station_accuracy=accuracy)
    place, margin_nm = settings.rough_station
    return Job(None, "measuring", *place, 25, 6, "https://a.example", margin_nm)


@pytest.mark.parametrize(
    ("accuracy", "others"),
    [("1km", (47.4632, 8.5479)), ("10km", (47.51, 8.46)), ("none", (46.6, 9.3))],
)
def test_the_map_says_no_more_of_the_station_than_everybody_may_know(world, accuracy, others):
    one, other = job_of(accuracy, 47.4583, 8.5481), job_of(accuracy, *others)
    assert one == other
    made = cut(world, one.region)
    head = deserialize_header(made.head[:127])
    exact = {474583000, 85481000}
    west, east, south, north = (head[f"{side}_e7"] for side in ("min_lon", "max_lon", "min_lat", "max_lat"))
    middles = {round((south + north) / 2), round((west + east) / 2), head["center_lat_e7"], head["center_lon_e7"]}
    assert not any(abs(middle - place) < 1000 for middle in middles for place in exact)
    # All around the station within the radius is there.
    assert south / 1e7 <= 47.4583 - 25 / 60.04
    assert north / 1e7 >= 47.4583 + 25 / 60.04


def test_a_station_that_everybody_may_know_is_the_middle():
    place, margin_nm = PictureSettings(station_lat=47.4583, station_lon=8.5481, station_accuracy="exact").rough_station
    assert place == (47.4583, 8.5481)
    assert margin_nm < 1e-6
