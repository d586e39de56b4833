"""What a run says of the processor seconds of its tests."""

from types import SimpleNamespace

from tests.lanes.costs import END, Costs


def report(when, processor_s, *more):
    properties = [("processor_s", processor_s), ("of_all_s", 0.0), ("tier", "test"), *more]
    return SimpleNamespace(nodeid="a.py::b", when=when, user_properties=properties, skipped=False)


def test_phases_of_a_test_are_added_and_what_ends_with_the_run_is_none_of_them():
    costs = Costs()
    for one in (report("setup", 0.5), report("call", 1.5), report("teardown", 80.0, ("is_end", True))):
        costs.add(one)
    assert dict(costs.by_test) == {"a.py::b": 2.0, END: 80.0}
    assert costs.above(1.0) == [("a.py::b", 1.5)]
    assert "82 processor seconds in 1 tests" in costs.lines(0)
