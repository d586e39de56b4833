"""What the libraries note of a declaration is the same without its line of source, and so is the order of things."""

import inspect
import sys
import traceback
from itertools import product

import pyramid.config.actions
import pytest
import venusian.advice
from pyramid.config import Configurator
from pyramid.exceptions import ConfigurationConflictError
from pyramid.util import TopologicalSorter
from pyramid.view import view_config

from skywatch.http.requests import declarations
from skywatch.http.requests.declarations import RememberingSorter, ViewConfig, frame_info

declarations.install()
AT_MODULE = sys._getframe()
OF_MODULE = frame_info(AT_MODULE), venusian.advice.getFrameInfo(AT_MODULE)


class OfClass:
    both = frame_info(sys._getframe()), venusian.advice.getFrameInfo(sys._getframe())


def of_function():
    return frame_info(sys._getframe()), venusian.advice.getFrameInfo(sys._getframe())


def of_other_code():
    names = {"__name__": "no_such_module"}
    exec(compile("import sys; frame = sys._getframe()", "<text>", "exec"), names)
    return frame_info(names["frame"]), venusian.advice.getFrameInfo(names["frame"])


@pytest.mark.parametrize("both", [OF_MODULE, OfClass.both, of_function(), of_other_code()])
def test_a_frame_is_described_as_venusian_does(both):
    (*ours, place), (*theirs, place_of_venusian) = both
    assert [*ours[:1], *ours[2:]] == [*theirs[:1], *theirs[2:]]
    assert ours[1] is (theirs[1] or None)
    assert place[0] == place_of_venusian[0] or place[0] == "<text>"
    assert place[1:3] == place_of_venusian[1:3]


def declared(kind):
    return kind(name="x")


def test_a_view_is_declared_where_pyramid_says():
    (file, line, function, _), expected = declared(ViewConfig)._info, declared(view_config)._info
    assert (file, line, function) == tuple(expected)[:3]
    assert inspect.getsourcelines(declared)[1] + 1 == line


def test_views_that_conflict_are_named_with_their_places():
    config = Configurator()
    for _ in range(2):
        config.add_view(lambda request: None, name="same")
        config = config.with_package(sys.modules[__name__])
    with pytest.raises(ConfigurationConflictError) as raised:
        config.commit()
    assert f"of file {__file__}" in str(raised.value)


def test_the_stack_is_that_of_the_standard_library():
    ours, theirs = pyramid.config.actions.traceback.extract_stack(limit=4), traceback.extract_stack(limit=4)
    assert [place[:3] for place in ours] == [(frame.filename, frame.lineno, frame.name) for frame in theirs]


@pytest.mark.parametrize(("first", "second"), [*product("abc", repeat=2)])
def test_an_order_is_that_of_pyramid_after_each_change(first, second):
    ours, theirs = RememberingSorter(), TopologicalSorter()
    for sorter in (ours, theirs):
        sorter.add("a", 1)
        sorter.add("b", 2, before="a")
        sorter.add("c", 3, after="b")
    assert ours.sorted() == ours.sorted() == theirs.sorted()
    for sorter in (ours, theirs):
        sorter.add("d", 4, after=first)
    assert ours.sorted() == theirs.sorted()
    for sorter in (ours, theirs):
        sorter.remove("d")
        sorter.add(second, 5)
    assert ours.sorted() == theirs.sorted()
