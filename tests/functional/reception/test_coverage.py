"""The coverage of a feeder in cells, for those who may not know where its antenna is."""

import pytest

from tests.functional.reception.measured import measured, store
from tests.identities import as_role, install_with_users

VIEWER, ADA = as_role("viewer", 4), as_role("operator")
RANGES = (100.0,) * 36


@pytest.fixture
def client(make_client):
    return install_with_users(make_client(auth_mode="hybrid"))


def cells_of(client, origin, ranges=RANGES, **body):
    """The cells that a viewer is shown of a new feeder with these ranges around a place."""
    lat, lon = origin
    body = {"name": f"At {lat} {lon} {body}"[:64], "lat": lat, "lon": lon, **body}
    number = client.post_json("/api/v1/feeders/", body, headers=ADA, status=201).json["id"]
    store(client.runtime, f"feeder-{number}", {2: measured(*ranges, origin=origin), 0: measured(20.0, origin=origin)})
    return number, client.get(f"/api/v1/feeders/{number}/coverage", headers=VIEWER).json


def test_the_coverage_of_a_coarse_place_is_in_cells_of_half_a_degree(client):
    number, answer = cells_of(client, (47.43, 8.56))
    assert answer["cell_deg"] == 0.5
    cells = answer["cells"]
    assert all((cell["lat"] * 2).is_integer() and (cell["lon"] * 2).is_integer() for cell in cells)
    # A circle of 101 nm has 32,000 square nm, a cell here 30 x 20.3; those on its rim count whole.
    assert 58 <= len(cells) <= 82
    assert {"lat": 47.0, "lon": 8.5, "now": True} in cells
    assert sum(cell["now"] for cell in cells) < 6
    client.get(f"/api/v1/feeders/{number}/quality", headers=VIEWER, status=403)
    assert client.get(f"/api/v1/feeders/{number}/coverage", headers=ADA).json == answer


@pytest.mark.parametrize(("privacy", "other"), [("10km", (47.38, 8.64)), ("none", (47.02, 8.98))])
def test_places_that_others_cannot_tell_apart_have_the_same_cells(client, privacy, other):
    _, one = cells_of(client, (47.42, 8.56), place_privacy=privacy)
    _, two = cells_of(client, other, place_privacy=privacy)
    assert one == two


def test_cells_lie_on_both_sides_of_the_date_line_and_of_a_pole(client):
    _, dateline = cells_of(client, (0.2, 179.9), place_privacy="exact")
    assert {-180.0, 179.5} <= {cell["lon"] for cell in dateline["cells"]}
    assert len(dateline["cells"]) == len({(cell["lat"], cell["lon"]) for cell in dateline["cells"]})
    _, pole = cells_of(client, (89.9, 0.0), place_privacy="exact")
    assert {cell["lon"] for cell in pole["cells"] if cell["lat"] == 89.5} == {n / 2 for n in range(-360, 360)}


def test_ranges_that_nobody_has_are_cut(client):
    _, answer = cells_of(client, (0.0, 0.0), ranges=(6000.0,) * 36, place_privacy="exact")
    assert {abs(cell["lat"]) <= 9.5 and abs(cell["lon"]) <= 9.5 for cell in answer["cells"]} == {True}


def test_a_feeder_that_was_never_heard_covers_nothing(client):
    number = client.post_json("/api/v1/feeders/", {"name": "Attic"}, headers=ADA, status=201).json["id"]
    path = f"/api/v1/feeders/{number}/coverage"
    assert client.get(path, headers=VIEWER).json == {"cell_deg": 0.5, "cells": []}
    client.get("/api/v1/feeders/999/coverage", headers=VIEWER, status=404)
    client.get(path, status=401)
