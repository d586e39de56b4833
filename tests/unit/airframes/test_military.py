"""Military blocks of addresses."""

import pytest

from skywatch.airframes.military import MILITARY_BLOCKS, is_military_address
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("address", "military"),
    [
        ("adf7c7", False),
        ("ADF7C8", True),
        ("afffff", True),
        ("b00000", False),
        ("43c000", True),
        ("43bfff", False),
        ("44d000", False),
        ("000000", False),
        ("ffffff", False),
        ("~43c000", False),
        ("", False),
    ],
)
def test_addresses_at_the_edges(address, military):
    assert is_military_address(address) is military


def test_blocks_are_in_order_and_do_not_overlap():
    edges = [edge for first, last, _ in MILITARY_BLOCKS for edge in (first, last)]
    assert edges == sorted(set(edges))


def test_no_feature_decides_by_the_address_alone():
    # Rules are tried on aircraft that a caller invents, and on messages that do not say it. The list of known aircraft
    # stores the answer beside each entry, as one of the marks that ``is_civil`` asks.
    allowed = {"airframes", "picture", "alerts", "cannonball"}
    users = {
        path.relative_to(ROOT / "skywatch").parts[0]
        for path in (ROOT / "skywatch").rglob("*.py")
        if "is_military_address" in path.read_text(encoding="utf-8")
    }
    assert users <= allowed
