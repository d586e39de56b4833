"""The two tiers and the night are all tests, each once, and what is left out is said."""

import contextlib
import re

import pytest

from tests.conftest import ROOT
from tests.lanes import costs as costs_module
from tests.lanes.costs import Costs
from tests.lanes.tiers import TIERS, has_none, tier_of


class Item:
    """The part of a test that its tier depends on."""

    originalname = "test_it"

    def __init__(self, *marks, fixtures=(), but=(), **parameters):
        self._marks = {name: pytest.Mark(name, (), {"but": but}) for name in marks}
        self.fixturenames = fixtures
        self.callspec = type("", (), {"params": parameters}) if parameters else None

    def get_closest_marker(self, name):
        return self._marks.get(name)


@pytest.mark.parametrize(
    ("item", "tier"),
    [
        (Item("unit"), "test"),
        (Item("functional", database="sqlite"), "test"),
        (Item("functional", database="postgresql"), "rest"),
        (Item("functional", "portable", database="postgresql"), "night"),
        (Item("functional", "portable", but=["test_it"], database="postgresql"), "rest"),
        (Item("functional", "portable", but=["test_this"], database="postgresql"), "night"),
        (Item("functional", "portable", database="sqlite"), "test"),
        (Item("unit", "deep", "portable", database="sqlite"), "rest"),
        (Item("unit", fixtures=["redis_url"]), "rest"),
        (Item("unit", "deep"), "rest"),
        (Item("unit", "deep", "nightly"), "night"),
        (Item("integration"), "rest"),
        (Item("integration", "smoke"), "test"),
        (Item("integration", "smoke", fixtures=["redis_url"]), "rest"),
        (Item("integration", "nightly"), "night"),
    ],
)
def test_each_test_has_one_tier(item, tier):
    assert tier_of(item) == tier


@pytest.mark.parametrize(
    ("text", "lane", "without"),
    [
        ('pytestmark = pytest.mark.deep("a corpus")', "unit", {"test", "night"}),
        ('pytestmark = pytest.mark.nightly("a drill")', "unit", {"test"}),
        ('@pytest.mark.deep("a table")', "unit", {"night"}),
        ('@pytest.mark.portable("rules")', "functional", set()),
        ("", "functional", {"night"}),
        ("", "integration", {"test", "night"}),
        ("@pytest.mark.smoke", "integration", {"night"}),
        ('OTHER = pytest.mark.nightly("again")', "integration", {"test"}),
    ],
)
def test_a_file_without_tests_of_a_tier_is_not_imported(tmp_path, text, lane, without):
    path = tmp_path / "test_x.py"
    path.write_text(f"import pytest\n\n{text}\n")
    assert {tier for tier in (*TIERS, "all", None) if has_none(path, lane, tier)} == without


def test_marks_that_say_so_are_in_the_files_themselves():
    """What a file's text says of its tier is all there is: no mark comes from a module that it imports."""
    helpers = set((ROOT / "tests").rglob("*.py")) - set((ROOT / "tests").rglob("test_*.py"))
    marks = [
        p for p in helpers if re.search(r"pytest\.mark\.(smoke|nightly|portable)\b", p.read_text(encoding="utf-8"))
    ]
    assert marks == []


def test_make_runs_every_tier():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [tier for tier in TIERS if f"TIER={tier}\n" in makefile] == list(TIERS)


def test_marks_stand_where_they_mean_something():
    """``smoke`` is for integration tests, and the others have a reason."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if re.search(r"^@pytest\.mark\.smoke$", text, re.M):
            assert path.is_relative_to(ROOT / "tests" / "integration"), path
        for mark in re.findall(r"pytest\.mark\.(?:deep|dear|nightly|portable)\b(?:\(\s*.{2})?", text):
            assert re.search(r'\(\s*"[^"]', mark), f"{path}: {mark}"


def test_tests_that_a_mark_names_are_there():
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        for names in re.findall(r"mark\.portable\([^)]*but=\[([^]]*)\]", text):
            assert [name for name in re.findall(r'"(\w+)"', names) if f"def {name}(" not in text] == [], path


def report(test="a", cost=0.0, when="call", tier="test", skipped_for="", of_all=0.0):
    reason = ("path", 1, f"Skipped: {skipped_for}") if skipped_for else None
    made = pytest.TestReport(test, (test, 0, test), {}, "skipped" if skipped_for else "passed", reason, when)
    made.user_properties = [("processor_s", cost), ("of_all_s", of_all), ("tier", tier)]
    return made


def costs_of(*reports):
    costs = Costs()
    for made in reports:
        costs.add(made)
    return costs


def test_phases_of_a_test_are_added_and_its_set_up_makes_no_test_dear():
    costs = costs_of(report(cost=3.0, when="setup"), report(cost=0.5))
    assert costs.by_test == {"a": 3.5}
    assert costs.above(1.0) == []


def test_tests_that_are_too_dear_are_named():
    costs = costs_of(report("a", 0.4), report("b", 1.5), report("c", 2.5), report("d", 9.0, tier="rest"))
    named = [line for line in costs.lines(0) if "mark it deep" in line]
    assert [line.split()[0] for line in named] == ["c", "b"]
    assert ["continuous integration refuses it" in line for line in named] == [True, False]


def test_what_is_made_once_for_all_makes_no_test_dear():
    costs = costs_of(report("a", 2.5, of_all=2.0), report("b", 2.5, of_all=0.2))
    assert costs.by_test == {"a": 2.5, "b": 2.5}
    assert [test for test, _ in costs.above(1.0)] == ["b"]


@pytest.mark.parametrize("fails", [False, True])
def test_it_is_measured_where_it_is_made(monkeypatch, fails):
    seconds = iter((1.0, 4.0))
    monkeypatch.setattr(costs_module, "_of_all", [0.5])
    monkeypatch.setattr(costs_module.time, "thread_time", lambda: next(seconds))
    with contextlib.suppress(KeyError), costs_module.once():
        if fails:
            raise KeyError
    measured = costs_module._of_all
    monkeypatch.undo()
    assert measured == [3.5]


@pytest.mark.parametrize(("environment", "cost", "code"), [("true", 2.5, 1), ("true", 1.5, 0), ("", 2.5, 0)])
def test_a_test_over_the_limit_fails_continuous_integration_alone(monkeypatch, environment, cost, code):
    monkeypatch.setenv("CI", environment)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setattr(costs_module, "store", lambda measured: None)
    monkeypatch.setattr(costs_module, "_run", costs_of(report("a", cost)))
    session = type("", (), {"exitstatus": 0})
    costs_module.pytest_sessionfinish(session)
    # What this test itself reports goes to the run again.
    monkeypatch.undo()
    assert session.exitstatus == code


def test_what_was_not_tested_is_one_line_with_counts():
    costs = costs_of(
        report("a", skipped_for="PostgreSQL: nothing listens at 127.0.0.1:5432"),
        report("b", skipped_for="PostgreSQL: pg_dump"),
        report("c", skipped_for="nginx"),
    )
    assert costs.lines(0)[-1] == "not tested here: PostgreSQL (2), nginx (1)"


def test_where_everything_costs_three_times_as_much_a_test_may_too():
    alone = [report(f"t{n}", 0.9) for n in range(997)]
    costs = costs_of(*alone, report("a", 2.5), report("b", 7.0))
    assert [test for test, _ in costs.above(1.0)] == ["b"]
    assert [test for test, _ in costs_of(report("a", 2.5), report("b", 7.0)).above(1.0)] == ["b", "a"]
