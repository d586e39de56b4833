"""What is no geometry is refused with a word, at each level of it."""

from __future__ import annotations

import pytest

from skywatch.core.polygons.geometry import GeometryFault, parse_geometry

RING = [[8.0, 47.0], [9.0, 47.0], [9.0, 48.0], [8.0, 47.0]]


@pytest.mark.parametrize("wrong", [5, "text", None, {}, True])
@pytest.mark.parametrize(
    "around",
    [
        lambda wrong: {"type": "Polygon", "coordinates": wrong},
        lambda wrong: {"type": "Polygon", "coordinates": [wrong]},
        lambda wrong: {"type": "Polygon", "coordinates": [[*RING[:-1], wrong, RING[-1]]]},
        lambda wrong: {"type": "MultiPolygon", "coordinates": wrong},
        lambda wrong: {"type": "MultiPolygon", "coordinates": [wrong]},
        lambda wrong: {"type": "MultiPolygon", "coordinates": [[wrong]]},
    ],
    ids=["rings", "ring", "position", "polygons", "polygon", "ring of many"],
)
def test_what_is_no_list_is_named(around, wrong):
    with pytest.raises(GeometryFault):
        parse_geometry(around(wrong))
