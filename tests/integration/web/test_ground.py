"""What lies below the aircraft without the internet: towns, water and runways where they are."""

from __future__ import annotations

import math

import pytest

from tests.waiting import until

# What the ground has of one kind in the view, as [name or code, coordinates on the map].
WITHIN = """
const map = document.querySelector('sw-map');
const view = map.map.getView().calculateExtent();
return map.ground.layers.flatMap((layer) => layer.getLayers?.().getArray() ?? [layer])
  .flatMap((layer) => layer.getFeaturesInExtent?.(view) ?? layer.getSource().getFeaturesInExtent?.(view) ?? [])
  .filter((one) => one.get('kind') === '%s')
  .map((one) => [one.get('name') ?? one.get('code') ?? '', one.getGeometry().getFlatCoordinates()]);
"""
# At this latitude the map is longer than the earth.
STRETCH = 1 / math.cos(math.radians(47.46))


@pytest.fixture
def zurich(page, sky):
    """A function: what the ground has of a kind near the airport of Zurich, once it is all there.

    Coarse ground and cells come one after the other, and each of them has towns: the names tell when all are here.
    """
    page.size(1280, 800)
    page.open_map(sky, "/#/map?at=47.4580,8.5480,11.5")

    def found(kind, *names):
        def is_there():
            lines = page.run(WITHIN % kind)
            return lines and set(names) <= {name for name, _ in lines} and lines

        return until(is_there, f"{kind}: {', '.join(names)}")

    return found


def test_towns_stand_around_an_airport(zurich):
    towns = zurich("town", "Dietikon", "Kloten", "Bülach", "Regensdorf")
    assert not any("(Kreis" in name for name, _ in towns), "districts are no towns"
    assert zurich("airport", "Zurich Airport")


def test_runways_have_their_true_heading_and_length(zurich):
    runways = []
    for _, (x1, y1, x2, y2) in zurich("runway"):
        heading = math.degrees(math.atan2(x2 - x1, y2 - y1)) % 180
        runways.append((round(heading), math.hypot(x2 - x1, y2 - y1) / STRETCH))
    # 10/28, 14/32 and 16/34 of LSZH: true headings and lengths of the Swiss AIP.
    for heading, length_m in ((95, 2500), (137, 3300), (155, 3700)):
        assert any(abs(h - heading) <= 2 and abs(m - length_m) < 60 for h, m in runways), (heading, runways)


def test_a_view_of_a_country_fetches_its_cells_only(page, sky):
    page.size(1280, 800)
    page.open_map(sky, "/#/map?at=47.4580,8.5480,7.6")
    page.wait_for("return performance.getEntriesByType('resource').some((one) => one.name.includes('.cell'))", "cells")
    page.wait_for(f"return (() => {{{WITHIN % 'border'}}})().length > 0", "borders")
    ground = {name.rpartition("/")[2]: size for name, size in page.fetched() if ".cell" in name or ".topology" in name}
    assert any(name.startswith("countries-110m") for name in ground)
    assert not any(name.startswith(("countries-50m", "local")) for name in ground)
    assert sum(ground.values()) < 200_000


def test_the_switch_of_airports_hides_runways_too(page, sky):
    page.size(1280, 800)
    page.open(f"http://127.0.0.1:{sky.port}/icon.svg")
    page.run("localStorage.setItem('skywatch.preferences', JSON.stringify({airports: false}))")
    page.open_map(sky, "/#/map?at=47.4580,8.5480,11.5")
    page.wait_for(f"return (() => {{{WITHIN % 'runway'}}})().length > 0", "runways")
    drawn = page.run(
        "const { ground } = document.querySelector('sw-map'); const local = ground.layers.at(-1);"
        "const draw = local.getStyleFunction();"
        "return local.getSource().getFeatures().filter((one) => draw(one, 50)).map((one) => one.get('kind'))"
    )
    assert "town" in drawn
    assert not {"runway", "airport"} & set(drawn)
