"""Who gets a page and who the problem document."""

import pytest
from pyramid.request import Request

from skywatch.http.pages import wants_page

CHROMIUM = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8,application/signed-exchange;v=b3"


@pytest.mark.parametrize("accept", ["text/html", CHROMIUM, "text/*", "application/json;q=0.5, text/html"])
def test_browsers_get_a_page(accept):
    assert wants_page(Request.blank("/", headers={"Accept": accept}))


@pytest.mark.parametrize(
    "accept", ["*/*", "", "application/json", "application/json, text/html;q=0.9", "image/png", "what is this;;"]
)
def test_programs_do_not(accept):
    assert not wants_page(Request.blank("/", headers={"Accept": accept}))


def test_who_says_nothing_gets_no_page():
    assert not wants_page(Request.blank("/"))
