"""Which addresses lie in an area."""

from types import SimpleNamespace

import pytest

from skywatch.security.area import Area, Areas

AREA = Area("/console", [], lambda problem, request: None, 1000)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("/console", True),
        ("/console/", True),
        ("/console/users", True),
        ("/consoles", False),
        ("/api/v1/console", False),
        ("/Console", False),
        ("//console", False),
        ("/", False),
        ("", False),
    ],
)
def test_an_area_is_all_at_and_below_its_prefix(path, inside):
    areas = Areas(SimpleNamespace())
    areas.add(AREA)
    assert (areas.at(path) is AREA) is inside
