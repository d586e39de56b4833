"""Which versions the weekly drill of dependencies chooses."""

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.conftest import ROOT
from tests.drills.versions import bounded_requirements, next_minor


def test_every_bounded_requirement_of_the_service_is_tried():
    names = {r.name for r in bounded_requirements((ROOT / "setup.py").read_text())}
    assert {"pyramid", "cornice", "pyramid-jwt", "waitress", "autobahn", "redis"} <= names
    assert "cryptography" not in names  # No upper bound: the newest is installed anyway.


@pytest.mark.parametrize(
    ("requirement", "available", "expected"),
    [
        ("waitress>=3.0.1,<3.1", ["3.0.2", "3.1.0", "3.1.4", "3.2.0"], "3.1.4"),
        ("redis>=5.0.4,<9", ["8.9.9", "9.1.0", "10.0.0"], "9.1.0"),
        ("cornice>=6.1,<6.2", ["6.1.0", "6.2.0rc1"], None),
        ("limits>=3.13,<6", [], None),
    ],
)
def test_next_minor_is_the_first_above_the_bound(requirement, available, expected):
    assert next_minor(Requirement(requirement), available) == (Version(expected) if expected else None)
