"""Headers set in one pass: nothing doubled, nothing lost."""

from pyramid.response import Response

from skywatch.http.requests.headers import add_vary, set_headers


def test_what_is_set_takes_the_place_of_what_was_there_in_any_case():
    response = Response(headerlist=[("x-one", "1"), ("X-Other", "o"), ("X-One", "2")], app_iter=[b""])
    set_headers(response, {"X-One": "3", "X-Two": "4"})
    assert response.headerlist == [("X-Other", "o"), ("X-One", "3"), ("X-Two", "4")]
    assert response.headers["x-two"] == "4"


def test_vary_names_every_header_once():
    response = Response()
    for name in ("Accept-Encoding", "Origin", "origin", "Accept-Encoding"):
        add_vary(response, name)
    assert response.headers.getall("Vary") == ["Accept-Encoding, Origin"]


def test_vary_that_a_view_has_set_in_its_own_writing_is_added_to():
    response = Response(headerlist=[("vary", "Accept")], app_iter=[b""])
    add_vary(response, "Origin")
    assert response.headers.getall("Vary") == ["Accept, Origin"]
