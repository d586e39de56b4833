"""Applications of a template are what ``skywatch.make_app`` makes."""

import pytest
from pyramid.interfaces import IRoutesMapper
from webtest import TestApp

import skywatch
from tests.app_templates import make_app


def routes_of(registry):
    return [(route.name, route.pattern) for route in registry.getUtility(IRoutesMapper).get_routes()]


@pytest.mark.parametrize("changes", [{}, {"console_enabled": "false", "web_enabled": "false"}])
def test_an_application_of_a_template_holds_what_a_whole_one_holds(make_runtime, changes):
    runtime = make_runtime(**changes)
    whole, shared = skywatch.make_app(runtime).registry, make_app(runtime).registry
    assert {name: type(value) for name, value in shared.items()} == {name: type(value) for name, value in whole.items()}
    assert routes_of(shared) == routes_of(whole)
    assert shared.settings == whole.settings
    assert list(shared.cornice_services) == list(whole.cornice_services)
    assert len(shared.introspector.get_category("views")) == len(whole.introspector.get_category("views"))


def test_two_applications_share_views_and_nothing_else(make_runtime):
    private, public = (make_app(make_runtime(auth_mode=mode)) for mode in ("private", "public"))
    assert routes_of(private.registry) == routes_of(public.registry)
    assert [name for name, value in private.registry.items() if value is public.registry[name]] == []
    for app, status in ((private, 401), (public, 200), (private, 401)):
        TestApp(app, extra_environ={"REMOTE_ADDR": "127.0.0.1"}).get("/api/v1/aircraft", status=status)
