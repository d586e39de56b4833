"""Which unit tests the fast lane chooses for a change."""

from tests.lanes.affected import chosen, distances, importers_of_skywatch, imports_of, module_of


def test_distance_counts_the_imports_between():
    importers = {"db": {"service", "views"}, "service": {"views"}, "views": {"app"}}
    assert distances(importers, ["db"]) == {"db": 0, "service": 1, "views": 1, "app": 2}
    assert distances(importers, ["views"]) == {"views": 0, "app": 1}


def test_imports_by_name_count():
    source = 'import a.b\nfrom skywatch.core.database import engine\nMONITOR = "skywatch.safety.monitor:create"\n'
    assert imports_of(source) >= {"a.b", "skywatch.core.database.engine", "skywatch.safety.monitor"}


def test_module_of_a_package():
    assert module_of("skywatch/core/__init__.py") == "skywatch.core"
    assert module_of("skywatch/core/geo.py") == "skywatch.core.geo"


def test_nearest_tests_that_fit_are_chosen():
    near = {"tests/unit/b.py": 2, "tests/unit/a.py": 1, "tests/unit/c.py": 3}
    durations = {"tests/unit/a.py::one": 3.0, "tests/unit/a.py::two": 4.0, "tests/unit/b.py::one": 2.0}
    assert chosen(near, durations, 8.0) == ["tests/unit/a.py"]
    assert chosen(near, durations, 10.0) == ["tests/unit/a.py", "tests/unit/b.py", "tests/unit/c.py"]


def test_nearest_test_runs_however_long_it_takes():
    assert chosen({"tests/unit/a.py": 0}, {"tests/unit/a.py::one": 100.0}, 10.0) == ["tests/unit/a.py"]


def test_geometry_reaches_its_users_through_others():
    near = distances(importers_of_skywatch(), ["skywatch.core.geo"])
    assert near["skywatch.core.geo"] == 0
    assert "skywatch.features" in near
    assert "skywatch.settings.loader" not in near
