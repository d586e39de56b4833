"""The map of the region: the tiles around a place, out of an archive that answers by ranges, a part at a time."""

import shutil
from datetime import date

import pytest
from pmtiles.reader import MemorySource, Reader
from pmtiles.tile import tileid_to_zxy

from skywatch.core.geo import point_distance_nm
from skywatch.web.region import cut as cutting
from skywatch.web.region import download
from skywatch.web.region.cut import Region, plan_cut, tiles_within
from skywatch.web.region.download import fetch
from skywatch.web.region.errors import NotThere, RegionFailed, SourceChanged, Stopped
from skywatch.web.region.place import part_of
from skywatch.web.region.source import Source, addresses_of, make_client, open_source
from tests.regions import MAX_ZOOM, ZURICH, content, draw_world, serving, tiles_of

REGION = Region(*ZURICH, 200, MAX_ZOOM)
TODAY = date(2026, 11, 3)


@pytest.fixture(scope="module")
def world():
    return draw_world()


@pytest.fixture
def client():
    return make_client(lambda: ("127.0.0.0/8",))


def reading(archive):
    return lambda offset, length: archive[offset : offset + length]


def wanted(region=REGION):
    return {tileid_to_zxy(number) for number in tiles_within(region, 0, MAX_ZOOM)}


def test_the_tiles_are_those_around_the_place():
    zoom = 6
    tiles = {place for place in wanted() if place[0] == zoom}
    assert (zoom, 33, 22) in tiles
    for _, x, y in tiles:
        middle = (x + 0.5) / 2**zoom * 360 - 180
        assert point_distance_nm(*ZURICH, ZURICH[0], middle) < 200 + 2 * 230, (x, y)
    assert wanted(Region(*ZURICH, 1, 6)) == {
        (z, int((ZURICH[1] + 180) / 360 * 2**z), row) for z, row in enumerate((0, 0, 1, 2, 5, 11, 22))
    }


def test_a_region_over_the_date_line_and_one_at_the_pole_have_their_tiles():
    columns = {x for z, x, _ in wanted(Region(-17.0, 179.9, 100, 6)) if z == 6}
    assert columns == {63, 0}
    north = {(x, y) for z, x, y in wanted(Region(89.0, 0.0, 400, 3)) if z == 3}
    assert north == {(x, 0) for x in range(8)}


def test_a_region_with_too_many_tiles_is_refused(monkeypatch):
    monkeypatch.setattr(cutting, "MOST_TILES", 10)
    with pytest.raises(RegionFailed, match="too many tiles"):
        tiles_within(REGION, 0, MAX_ZOOM)


def test_the_cut_has_every_tile_of_the_region_and_no_other(world, tmp_path):
    cut = plan_cut(reading(world), REGION)
    path = tmp_path / "region.pmtiles"
    shown = []
    fetch(cut, reading(world), path, shown.append)
    made = path.read_bytes()
    assert (len(made), shown[-1]) == (cut.size, cut.size)
    tiles = tiles_of(made)
    assert set(tiles) == wanted()
    assert all(tile == content(*place) for place, tile in tiles.items())
    assert len(tiles) == cut.tiles
    reader = Reader(MemorySource(made))
    assert reader.metadata() == {"attribution": "Drawn by a test"}
    assert (reader.header()["min_zoom"], reader.header()["max_zoom"]) == (0, MAX_ZOOM)
    assert cut.size < len(world) / 10
    assert not part_of(path).exists()


def test_what_is_alike_is_fetched_once(world, tmp_path):
    region = Region(-30.0, 20.0, 250, MAX_ZOOM)
    cut = plan_cut(reading(world), region)
    fetch(cut, reading(world), tmp_path / "map", lambda done: None)
    tiles = tiles_of((tmp_path / "map").read_bytes())
    assert set(tiles) == wanted(region)
    assert sum(tile == content(6, 0, 63) for tile in tiles.values()) > 1
    assert cut.size < sum(map(len, tiles.values())) + 2000


def test_fewer_zooms_than_the_source_has_may_be_wanted(world, tmp_path):
    fetch(plan_cut(reading(world), Region(*ZURICH, 100, 4)), reading(world), tmp_path / "map", lambda done: None)
    assert {zoom for zoom, _, _ in tiles_of((tmp_path / "map").read_bytes())} == {0, 1, 2, 3, 4}


def test_a_source_is_read_by_ranges(world, client, tmp_path):
    with serving(world) as source:
        opened = open_source(client, source.address, TODAY)
        cut = plan_cut(opened.read, REGION)
        measured = sum(end - begin + 1 for begin, end in source.asked)
        fetch(cut, opened.read, tmp_path / "map", lambda done: None)
        read = sum(end - begin + 1 for begin, end in source.asked)
    assert set(tiles_of((tmp_path / "map").read_bytes())) == wanted()
    assert measured < len(world) / 10
    assert read < len(world) / 5


def test_a_source_that_ignores_ranges_is_refused(world, client):
    with serving(world) as source:
        source.has_ranges = False
        with pytest.raises(RegionFailed, match="does not answer by ranges") as refused:
            open_source(client, source.address, TODAY)
    assert not refused.value.is_passing


def test_a_part_that_breaks_may_succeed_the_next_time_and_what_is_there_stays(world, client, tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "PIECE_BYTES", 3000)
    monkeypatch.setattr(cutting, "GAP_BYTES", 100)
    path = tmp_path / "map"
    with serving(world) as source:
        opened = open_source(client, source.address, TODAY)
        cut = plan_cut(opened.read, REGION)
        assert len(cut.pieces) > 4
        begun = len(source.asked)
        source.breaks_at = {begun + 3}
        with pytest.raises(RegionFailed, match="The connection broke") as broken:
            fetch(cut, opened.read, path, lambda done: None)
        assert broken.value.is_passing
        assert not path.exists()
        # As after a stop in the middle of a write.
        with part_of(path).open("ab") as file:
            file.write(b"half a piece")
        resumed = Source(client, source.address, opened.version)
        fetch(plan_cut(reading(world), REGION), resumed.read, path, lambda done: None)
    assert [begin for begin, _ in source.asked[begun:]] == [
        *(piece.offset for piece in cut.pieces[:3]),
        *(piece.offset for piece in cut.pieces[2:]),
    ]
    assert set(tiles_of(path.read_bytes())) == wanted()


def test_another_map_at_the_same_address_is_noticed(world, client):
    with serving(world) as source:
        version = open_source(client, source.address, TODAY).version
        source.etag = '"second"'
        with pytest.raises(SourceChanged, match="another map now"):
            Source(client, source.address, version).read(0, 10)


def test_what_is_there_of_another_map_is_begun_anew(world, tmp_path):
    path = tmp_path / "map"

    def stop(done):
        raise Stopped

    with pytest.raises(Stopped):
        fetch(plan_cut(reading(world), Region(*ZURICH, 50, 3)), reading(world), path, stop)
    assert part_of(path).exists()
    fetch(plan_cut(reading(world), REGION), reading(world), path, lambda done: None)
    assert set(tiles_of(path.read_bytes())) == wanted()


def test_an_address_with_a_date_is_that_of_the_newest_build(world, client):
    assert addresses_of("https://a.example/{date}.pmtiles", TODAY)[:4] == [
        f"https://a.example/{day}.pmtiles" for day in ("20261103", "20261102", "20261101", "20261031")
    ]
    with serving(world) as source:
        source.statuses = {"/20261103.pmtiles": 404, "/20261102.pmtiles": 403}
        address = source.address.replace("world", "{date}")
        assert open_source(client, address, TODAY).address.endswith("/20261101.pmtiles")
        source.statuses |= {f"/202611{day:02}.pmtiles": 404 for day in range(1, 4)}
        source.statuses |= {f"/202610{day:02}.pmtiles": 404 for day in range(20, 32)}
        with pytest.raises(NotThere, match="answers 404"):
            open_source(client, address, TODAY)


@pytest.mark.parametrize(("status", "is_passing"), [(302, False), (404, False), (429, True), (503, True)])
def test_an_answer_of_another_kind_is_named(world, client, status, is_passing):
    with serving(world) as source:
        source.statuses = {"/world.pmtiles": status}
        with pytest.raises(RegionFailed, match=f"answers {status}") as refused:
            open_source(client, source.address, TODAY)
    assert refused.value.is_passing == is_passing


def test_addresses_of_this_machine_and_its_network_are_refused_unless_allowed(world):
    with serving(world) as source, pytest.raises(RegionFailed, match="The address is not allowed"):
        open_source(make_client(lambda: ()), source.address, TODAY)
    assert source.asked == []


def test_no_name_and_no_listener_are_passing_faults(client):
    with pytest.raises(RegionFailed, match="cannot be read") as refused:
        open_source(client, "http://127.0.0.1:9/world.pmtiles", TODAY)
    assert refused.value.is_passing


@pytest.mark.parametrize("archive", [b"", b"<html>" * 100, b"PMTiles\x02" + bytes(200), b"PMTiles\x03" + bytes(200)])
def test_what_is_no_archive_is_refused(archive):
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        plan_cut(reading(archive), REGION)


def test_a_directory_that_unpacks_to_too_much_is_refused(world, monkeypatch):
    monkeypatch.setattr(cutting, "MOST_UNPACKED_BYTES", 100)
    with pytest.raises(RegionFailed, match="no PMTiles archive"):
        plan_cut(reading(world), REGION)


def test_a_map_that_is_too_large_is_refused_with_its_size(world, monkeypatch):
    monkeypatch.setattr(cutting, "MOST_BYTES", 1000)
    with pytest.raises(RegionFailed, match="smaller radius"):
        plan_cut(reading(world), REGION)


def test_a_disk_without_room_is_said_before_anything_is_fetched(world, tmp_path, monkeypatch):
    cut = plan_cut(reading(world), REGION)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1, 1, cut.size))
    with pytest.raises(RegionFailed, match="no room"):
        fetch(cut, lambda offset, length: pytest.fail("read"), tmp_path / "map", lambda done: None)
    monkeypatch.setattr(download, "SPARE_BYTES", -1000)
    fetch(cut, reading(world), tmp_path / "map", lambda done: None)


def test_a_folder_that_cannot_be_written_is_said(world, tmp_path):
    cut = plan_cut(reading(world), REGION)
    with pytest.raises(RegionFailed, match="cannot be written"):
        fetch(cut, reading(world), tmp_path / "none" / "map", lambda done: None)


def test_the_drawn_world_has_leaves(world):
    assert Reader(MemorySource(world)).header()["leaf_directory_length"] > 0
