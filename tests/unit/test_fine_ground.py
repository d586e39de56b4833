"""``web/fine_ground.py``: how shapes are cut into tiles, and how tiles are written."""

import importlib.util

import numpy as np
import pytest

from tests.conftest import ROOT

WORLD = 40_075_016.685578488


@pytest.fixture(scope="module")
def ground():
    spec = importlib.util.spec_from_file_location("fine_ground", ROOT / "web" / "fine_ground.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ring(west, south, east, north):
    return np.array([[west, south], [east, south], [east, north], [west, north], [west, south]], float)


def test_numbers_are_written_as_protobuf_has_them(ground):
    assert ground.varints(np.array([0, 1, 127, 128, 300, 2**31])).hex() == "00017f8001ac028080808008"


def test_the_polygon_of_the_specification(ground):
    # Vector Tile Specification 2.1, 4.3.5.5.
    points = np.array([[3, 6], [8, 12], [20, 34]])
    assert list(ground.geometry_of([points], True)) == [9, 6, 12, 18, 10, 12, 24, 44, 15]


def test_a_ring_over_four_tiles_is_whole_together(ground):
    square = ring(-1e6, -2e6, 3e6, 4e6)
    parts = dict(ground.pieces(square, 1, is_ring=True))
    assert sorted(parts) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    buffer = WORLD / 2 * ground.BUFFER
    sizes = {tile: abs(ground.signed_area(part)) for tile, part in parts.items()}
    assert sizes[0, 0] == pytest.approx((1e6 + buffer) * (4e6 + buffer))
    assert sizes[1, 1] == pytest.approx((3e6 + buffer) * (2e6 + buffer))
    assert parts[0, 1][:, 0].max() == pytest.approx(buffer)


def test_a_line_that_leaves_a_tile_and_comes_back_has_two_parts_in_it(ground):
    buffer = WORLD / 2 * ground.BUFFER
    line = np.array([[-5e6, 1e6], [5e6, 2e6], [-5e6, 3e6]])
    parts = [part for tile, part in ground.pieces(line, 1, is_ring=False) if tile == (0, 0)]
    assert len(parts) == 2
    assert all(part[:, 0].max() == pytest.approx(buffer) for part in parts)


def test_a_tile_has_the_sea_and_what_lies_in_it_and_no_more(ground):
    side = WORLD / 32
    west, north = 17 * side - WORLD / 2, WORLD / 2 - 11 * side
    lake = ring(west + 1000, north - 9000, west + 8000, north - 1000)
    speck = ring(west + 1000, north - 1001, west + 1001, north - 1000)
    content = {"landmass": [speck], "lake": [lake], "river": [lake[:2]]}
    tile = ground.tile_of(content, 5, 17, 11)
    kinds = [b"sea", b"landmass", b"lake", b"island", b"river", b"border", b"province"]
    assert all(kind in tile for kind in kinds)
    # The tags of the features: key 0, and the number of their kind.
    assert [number for number in range(7) if bytes([0x12, 2, 0, number]) in tile] == [0, 2, 4]


def test_a_shapefile_is_read_with_all_its_parts(ground, tmp_path):
    points = np.array([[8.0, 47.0], [9.0, 47.0], [9.0, 48.0], [1.0, 1.0], [2.0, 2.0]])
    record = np.array([3], "<i4").tobytes() + bytes(32) + np.array([2, 5, 0, 3], "<i4").tobytes() + points.tobytes()
    head = (1).to_bytes(4, "big") + (len(record) // 2).to_bytes(4, "big")
    (tmp_path / "lines.shp").write_bytes(bytes(100) + head + record)
    first, second = ground.shapes(tmp_path / "lines.shp")
    assert [len(first), len(second)] == [3, 2]
    assert first[0] == pytest.approx([8 / 360 * WORLD, 5_942_074.07], abs=1)


def test_the_relief_is_grey_at_sea_and_where_the_land_is_even(ground):
    from PIL import Image

    picture = np.full((180, 360, 3), (215, 228, 245), np.uint8)
    picture[60:120, 100:260] = (120, 160, 150)
    picture[90:92, 160:200] = (240, 240, 200)
    shade = ground.shade_of(Image.fromarray(picture))
    assert shade[10, 10] == 0
    assert abs(shade[70, 120]) < 0.04
    assert shade[90, 180] > 0.5
