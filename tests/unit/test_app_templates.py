"""Applications of a template are what ``skywatch.make_app`` makes."""

from functools import partial

import pytest
from pyramid.interfaces import IRoutesMapper
from webtest import TestApp

import skywatch
from skywatch.core.runtime import runtime_of
from tests.app_templates import described, make_app


def routes_of(registry):
    return [(route.name, route.pattern) for route in registry.getUtility(IRoutesMapper).get_routes()]


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("changes", [{}, {"console_enabled": "false", "web_enabled": "false"}])
def test_an_application_of_a_template_holds_what_a_whole_one_holds(make_runtime, changes):
    runtime = make_runtime(**changes)
    whole, shared = skywatch.make_app(runtime).registry, make_app(runtime).registry
    assert dict(shared) == dict(whole) == {"runtime": runtime}
    assert routes_of(shared) == routes_of(whole)
    assert shared.settings == whole.settings
    assert list(shared.cornice_services) == list(whole.cornice_services)
    assert len(shared.introspector.get_category("views")) == len(whole.introspector.get_category("views"))


def test_two_applications_share_views_and_nothing_else(make_runtime):
    private, public = (make_app(make_runtime(auth_mode=mode)) for mode in ("private", "public"))
    assert routes_of(private.registry) == routes_of(public.registry)
    assert runtime_of(private.registry) is not runtime_of(public.registry)
    for app, status in ((private, 401), (public, 200), (private, 401)):
        TestApp(app, extra_environ={"REMOTE_ADDR": "127.0.0.1"}).get("/api/v1/history/flights", status=status)


def view_that_keeps(text):
    def view(request, times=1):
        return text * times

    return view


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (view_that_keeps("a"), view_that_keeps("b")),
        (lambda: 1, lambda: 2),
        (lambda text="a": text, lambda text="b": text),
        ({"route": "a"}, {"route": "b"}),
        (["a"], ["b"]),
        (1, 2),
        (1, "1"),
        (int, str),
    ],
)
def test_different_values_have_different_templates(one, other):
    assert described(one) != described(other)


def test_functions_made_alike_share_a_template():
    assert described(view_that_keeps("a")) == described(view_that_keeps("a"))


@pytest.mark.parametrize(
    "value", [[].append, partial(print, "a"), object(), view_that_keeps(object()), {"view": "a".upper}]
)
def test_values_that_no_template_can_compare_are_refused(value):
    with pytest.raises(TypeError, match="cannot tell"):
        described(value)
