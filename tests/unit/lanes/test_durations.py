"""Durations of tests by folder, and their budgets."""

from tests.conftest import ROOT
from tests.lanes.durations import budgets, by_folder, over_budget


def test_durations_are_added_by_folder():
    durations = {
        "tests/unit/core/database/test_engine.py::a": 1.0,
        "tests/unit/core/bus/test_redis.py::b": 2.0,
        "tests/integration/test_start.py::c": 4.0,
    }
    assert by_folder(durations) == {"tests/unit/core": 3.0, "tests/integration": 4.0}


def test_folders_beyond_their_budget_are_named():
    lines = over_budget({"tests/unit/core": 9.0, "tests/unit/new": 1.0, "tests/unit/http": 1.0}, {
        "tests/unit/core": 5.0, "tests/unit/http": 5.0,
    })  # fmt: skip
    assert len(lines) == 2
    assert "tests/unit/core took 9 s" in lines[0]
    assert "tests/unit/new has no budget" in lines[1]


def test_every_folder_of_tests_has_a_budget():
    folders = {str(path.parent.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    assert {"/".join(folder.split("/")[:3]) for folder in folders} == set(budgets())
