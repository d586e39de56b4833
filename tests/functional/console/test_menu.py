"""The way to every page: tasks, their pages, and the search; only what the visitor may open is offered."""

import pytest

from skywatch.console.subjects import load_pages
from skywatch.console.views.entrance.search import DESCRIPTIONS
from skywatch.settings import origins_of

TASKS = ["Overview", "Receivers", "People", "Alerts and channels", "Data", "Service"]


def menu(page):
    return [link.text for link in page.html.select("nav.menu.wide a")]


def tabs(page):
    return [link.text for link in page.html.select("nav.tabs a")]


def hits(page):
    return [link["href"] for link in page.html.select(".hits a")]


def test_the_menu_has_the_tasks_and_no_page_is_more_than_two_steps_away(root):
    page = root.get("")
    assert menu(page) == TASKS
    assert tabs(page) == []
    reached = set()
    for link in page.html.select("nav.menu.wide a"):
        first = root.client.get(link["href"])
        reached |= {link["href"], *(tab["href"] for tab in first.html.select("nav.tabs a"))}
    assert reached == {f"/console{page.path}" for page in load_pages() if page.title}


def test_the_present_page_is_marked_in_the_menu_and_in_its_task(root):
    page = root.get("/roles")
    assert [link.text for link in page.html.select("nav.menu.wide [aria-current]")] == ["People"]
    assert [link.text for link in page.html.select("nav.tabs [aria-current=page]")] == ["Roles"]
    # A page below one of them belongs to it.
    below = root.get(f"/users/{root.people.numbers['viewer']}")
    assert [link.text for link in below.html.select("nav.tabs [aria-current=page]")] == ["Users"]


def test_a_visitor_is_offered_what_they_may_open(visitor):
    visitor.people.role("reads", ["users.view"])
    visitor.people.user("reader", "reads")
    visitor.sign_in("reader")
    page = visitor.get("")
    assert menu(page) == ["Overview", "People"]
    assert tabs(page.click("^People$", index=0)) == ["Users", "API keys"]
    assert hits(visitor.get("/search?q=passwords")) == ["/console/users"]
    # A setting is for those who may see the page of settings.
    assert hits(visitor.get("/search?q=retention")) == []


@pytest.mark.parametrize("path", ["/sign-in", "/nothing"])
def test_pages_without_a_session_have_neither_menu_nor_search(visitor, path):
    page = visitor.get(path, expect_errors=True)
    assert page.html.select("nav") == []
    assert page.html.find(id="search") is None


def test_pages_and_settings_are_found_by_what_somebody_wants(root):
    assert hits(root.get("/search?q=passwords"))[0] == "/console/users"
    assert hits(root.get("/search?q=licences")) == ["/console/software"]
    assert "/console/station#field-station_lat" in hits(root.get("/search?q=station_lat"))
    assert "/console/settings?search=console_idle_minutes" in hits(root.get("/search?q=console+idle"))
    assert len(hits(root.get("/search?q=a"))) <= len(DESCRIPTIONS) + 50
    form = root.get("/users").forms["search"]
    assert (form.method.lower(), form.action) == ("get", "/console/search")


def test_what_is_found_is_in_the_language_of_the_reader_and_found_by_its_words(root):
    root.client.set_cookie("skywatch_console_language", "de")
    assert hits(root.get("/search", params={"q": "Aufbewahrung"}))[0] == "/console/retention"
    assert hits(root.get("/search", params={"q": "retention"}))[0] == "/console/retention"


def test_an_empty_an_unknown_and_an_endless_question_have_their_answers(root):
    assert "Enter a word" in root.get("/search").text
    assert "Nothing found for" in root.get("/search?q=zeppelin").text
    assert "<b>x" not in root.get("/search", params={"q": "<b>x"}).text
    root.get("/search", params={"q": "x" * 101}, status=400)


def test_no_value_of_a_setting_is_found(root):
    secret = next(o for o in origins_of(root.runtime.current) if o.secret and o.value)
    assert hits(root.get("/search", params={"q": str(secret.value)[:100]})) == []


def test_every_page_of_the_menu_is_described():
    assert {page.path for page in load_pages() if page.title} == set(DESCRIPTIONS)
    assert {page.group for page in load_pages() if page.title} == {"", *TASKS[1:]}
