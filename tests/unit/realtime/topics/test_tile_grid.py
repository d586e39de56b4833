"""The squares of the tiles form and their names, also where the world ends, and what is no subscription of tiles."""

from __future__ import annotations

import numpy as np
import pytest

from skywatch.realtime.subscribers.commands import InvalidCommand, Subscribe
from skywatch.realtime.topics.tile_grid import COARSE, FINE, MAX_TILES, TileForm


@pytest.mark.parametrize(
    ("lat", "lon", "coarse", "fine"),
    [
        (-90.0, -180.0, "5:0:0", "1:0:0"),
        (90.0, 180.0, "5:35:71", "1:179:359"),
        (90.0, -180.0, "5:35:0", "1:179:0"),
        (-90.0, 180.0, "5:0:71", "1:0:359"),
        (0.0, 179.9999, "5:18:71", "1:90:359"),
        (0.0, -179.9999, "5:18:0", "1:90:0"),
        (-0.0001, 0.0, "5:17:36", "1:89:180"),
        (46.9, 7.4, "5:27:37", "1:136:187"),
        (45.0, 10.0, "5:27:38", "1:135:190"),
    ],
)
def test_positions_lie_in_the_square_counted_from_the_south_west(lat, lon, coarse, fine):
    for grid, name in ((COARSE, coarse), (FINE, fine)):
        [number] = grid.numbers_at(np.array([lat]), np.array([lon])).tolist()
        assert grid.name(number) == name
        assert grid.number(name) == number


@pytest.mark.parametrize("grid", [COARSE, FINE], ids=["coarse", "fine"])
def test_each_position_has_one_square_and_lies_within_it(grid):
    random = np.random.default_rng(3)
    lat, lon = random.uniform(-90, 90, 5000), random.uniform(-180, 180, 5000)
    row, column = np.divmod(grid.numbers_at(lat, lon), grid.columns)
    south, west = row * grid.size_deg - 90, column * grid.size_deg - 180
    assert ((south <= lat) & (lat < south + grid.size_deg)).all()
    assert ((west <= lon) & (lon < west + grid.size_deg)).all()
    assert grid.numbers_at(np.array([np.nan, 1.0]), np.array([1.0, np.nan])).tolist() == [-1, -1]
    assert len({grid.name(number) for number in range(len(grid))}) == len(grid)


def subscription(**body):
    return Subscribe({"topics": ["aircraft"], **body})


@pytest.mark.parametrize(("zoom", "name"), [(0, "5:0:0"), (7, "5:35:71"), (7.99, "5:1:1"), (8, "1:179:359")])
def test_the_zoom_says_the_size(zoom, name):
    grid = COARSE if name.startswith("5") else FINE
    assert subscription(format="tiles", zoom=zoom, tiles=[name]).form == TileForm(grid, (grid.number(name),))


def test_tiles_named_twice_are_read_once():
    assert subscription(format="tiles", zoom=3, tiles=["5:2:1", "5:0:4", "5:2:1"]).form == TileForm(COARSE, (145, 4))


def test_four_hundred_tiles_are_not_too_many():
    names = [FINE.name(number) for number in range(MAX_TILES + 1)]
    assert len(subscription(format="tiles", zoom=12, tiles=names[:MAX_TILES]).form.tiles) == 400
    with pytest.raises(InvalidCommand, match="1 to 400 tiles, not 401"):
        subscription(format="tiles", zoom=12, tiles=names)


def refused(**body):
    with pytest.raises(InvalidCommand) as error:
        subscription(**body)
    assert error.value.message.code == "validation_failed"
    return str(error.value)


@pytest.mark.parametrize(
    ("zoom", "name", "message"),
    [
        (8, "5:1:1", "5:1:1 does not fit the zoom"),
        (7.9, "1:1:1", "1:1:1 does not fit the zoom"),
        # Rows end at the poles, columns at the date line: nothing wraps around.
        (5, "5:36:0", "outside the world: with a size of 5 rows are 0 to 35, columns 0 to 71"),
        (5, "5:46:8", "outside the world"),
        (5, "5:0:72", "outside the world"),
        (9, "1:180:0", "outside the world: with a size of 1 rows are 0 to 179, columns 0 to 359"),
        (9, "1:0:360", "outside the world"),
        (5, "5:-1:0", "not the name of a tile"),
        (5, "5:01:0", "not the name of a tile"),
        (5, "5:1:1\n", "not the name of a tile"),
        (5, " 5:1:1", "not the name of a tile"),
        (5, "5:1", "not the name of a tile"),
        (5, "5:1:1:1", "not the name of a tile"),
        (5, "2:1:1", "not the name of a tile"),
        (5, "5:1.0:1", "not the name of a tile"),
        (5, "5:\u0661:1", "not the name of a tile"),
        (5, "5:1000:1", "not the name of a tile"),
        (5, "", "not the name of a tile"),
        (5, "x" * 60_000, "not the name of a tile"),
    ],
)
def test_what_is_no_tile_of_the_zoom_is_refused(zoom, name, message):
    sentence = refused(format="tiles", zoom=zoom, tiles=["5:0:0"] * (zoom < 8) + [name])
    assert message in sentence
    assert len(sentence) < 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"format": "tiles"}, "needs zoom and tiles"),
        ({"format": "tiles", "zoom": 5}, "needs zoom and tiles"),
        ({"format": "tiles", "tiles": ["5:1:1"]}, "needs zoom and tiles"),
        ({"format": "tiles", "zoom": 5, "tiles": []}, "1 to 400 tiles, not 0"),
        ({"format": "tiles", "zoom": 5, "tiles": "5:1:1"}, "array"),
        ({"format": "tiles", "zoom": 5, "tiles": [5]}, "str"),
        ({"format": "tiles", "zoom": 5, "tiles": [["5:1:1"]]}, "str"),
        ({"format": "tiles", "zoom": "5", "tiles": ["5:1:1"]}, "zoom"),
        ({"format": "tiles", "zoom": True, "tiles": ["5:1:1"]}, "zoom"),
        ({"format": "tiles", "zoom": -1, "tiles": ["5:1:1"]}, "zoom must be 0 to 30"),
        ({"format": "tiles", "zoom": 31, "tiles": ["1:1:1"]}, "zoom must be 0 to 30"),
        ({"format": "tiles", "zoom": float("nan"), "tiles": ["5:1:1"]}, "zoom must be 0 to 30"),
        ({"format": "tiles", "zoom": float("inf"), "tiles": ["1:1:1"]}, "zoom must be 0 to 30"),
        ({"format": "tiles", "zoom": 5, "tiles": ["5:1:1"], "bbox": [0, 0, 1, 1]}, "no bbox"),
        ({"format": "tiles", "zoom": 5, "tiles": ["5:1:1"], "fields": ["lat"]}, 'belong to the format "columns"'),
        ({"format": "tiles", "zoom": 5, "tiles": ["5:1:1"], "limit": 5}, 'belong to the format "columns"'),
        ({"format": "columns", "tiles": ["5:1:1"]}, 'belong to the format "tiles"'),
        ({"zoom": 3}, 'belong to the format "tiles"'),
    ],
)
def test_what_is_no_subscription_of_tiles_is_refused(body, message):
    assert message in refused(**body)
