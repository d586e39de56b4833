"""How the pages write what they show."""

from datetime import UTC, datetime

import pytest
from bs4 import BeautifulSoup

from skywatch.console.pages.formats import compact, moment, span, time_element


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "unknown"), (0, "0 s"), (59.9, "59 s"), (3700, "1 h 1 min"), (86_400, "1 d"), (90_061, "1 d 1 h")],
)
def test_spans_have_their_two_largest_units(seconds, text):
    assert span(seconds) == text


def test_moments_are_utc():
    assert moment(datetime(2026, 1, 31, 12, 0, 5, tzinfo=UTC)) == "2026-01-31 12:00:05 UTC"
    assert moment(None) == "never"


def test_a_moment_as_an_element_has_a_machine_readable_form():
    at = datetime(2026, 1, 31, 12, 0, 5, tzinfo=UTC)
    element = BeautifulSoup(time_element(at), "html.parser").time
    assert datetime.fromisoformat(element["datetime"]) == at
    assert element.text == moment(at)
    assert time_element(None) == "never"


def test_documents_are_readable():
    assert compact({"b": "é", "a": [1]}) == '{\n "a": [\n  1\n ],\n "b": "é"\n}'
    assert compact(None) == ""
