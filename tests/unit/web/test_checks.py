"""What ``skywatch doctor`` says of base maps."""

from __future__ import annotations

from pathlib import Path

from skywatch.core.terminal.checks import Inspection
from skywatch.features import load
from skywatch.web.checks import check
from tests.accounts import TEST_SECRET

TILES = "{z}/{x}/{y}.png © Somebody"


def look(**settings):
    values = {"secret": TEST_SECRET, "database_url": "sqlite://", **settings}
    return [(finding.level, finding.part) for finding in check(Inspection(Path("a.ini"), load(values), 1))]


def test_a_base_map_whose_host_no_browser_asks_is_named():
    named = {
        "base_map.aerial": f"https://tiles.example/{TILES}",
        "base_map.several": f"https://{{a-c}}.tiles.example/{TILES}",
        "base_map.odd": f"https://{{s}}.tiles.example/{TILES}",
        "base_map.token": f"https://tiles.example/{{style}}/{TILES}",
    }
    assert look(**named) == [("warning", "base map odd"), ("warning", "base map token")]


def test_the_map_without_a_name():
    assert look(map_tiles_url="https://tiles_1.example/{z}/{x}/{y}.png") == [("warning", "base map")]
    assert look() == []
