"""The language of the console: the reader's choice, else the browser's, else English."""

import pytest

from skywatch.console.texts.catalogue import LANGUAGES, NAMES


def language_of(page):
    return page.html.find("html")["lang"]


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("de-AT,en;q=0.5", "de"),
        ("it,fr-CA;q=0.8,en;q=0.5", "fr"),
        ("ES", "es"),
        ("nl", "en"),
        ("", "en"),
        (";;;q=", "en"),
    ],
)
def test_a_browser_gets_the_language_that_it_wishes_most(visitor, wish, language):
    assert language_of(visitor.get("/sign-in", headers={"Accept-Language": wish})) == language


def test_a_choice_is_remembered_and_counts_more_than_the_browser(root):
    page = root.get("/users?search=a")
    form = next(form for form in page.forms.values() if "language" in form.fields)
    assert [code for code, _, _ in form["language"].options] == list(LANGUAGES)
    form["language"] = "fr"
    answer = form.submit(status=303)
    assert answer.headers["Location"].endswith("/console/users?search=a")
    cookie = answer.headers["Set-Cookie"]
    assert "skywatch_console_language=fr" in cookie
    assert "HttpOnly" in cookie
    assert "Path=/console" in cookie
    assert language_of(root.get("/users", headers={"Accept-Language": "de"})) == "fr"


@pytest.mark.parametrize("page", ["/sign-in", "/reset"])
def test_visitors_without_a_session_come_back_to_their_page(visitor, page):
    answer = visitor.get(f"/language?language=es&next=/console{page}", status=303)
    assert answer.headers["Location"].endswith(f"/console{page}")


@pytest.mark.parametrize(
    "onward", ["https://other.example/", "//other.example", "/console/sign-out", "/console/language"]
)
def test_a_choice_leads_to_pages_of_the_console_alone(visitor, onward):
    answer = visitor.client.get("/console/language", {"language": "de", "next": onward}, status=303)
    assert answer.headers["Location"] == "http://localhost/console"


@pytest.mark.parametrize("query", ["", "language=xx", "language=de%0d%0aX: y"])
def test_another_language_is_refused_and_nothing_remembered(visitor, query):
    answer = visitor.get(f"/language?{query}", status=400)
    assert "skywatch_console_language" not in answer.headers.get("Set-Cookie", "")


def test_a_cookie_with_another_value_counts_for_nothing(visitor):
    visitor.client.set_cookie("skywatch_console_language", "xx")
    assert language_of(visitor.get("/sign-in", headers={"Accept-Language": "de"})) == "de"


def test_the_application_names_the_languages_in_the_same_way():
    from tests.web_texts import WEB

    written = (WEB / "i18n" / "i18n.ts").read_text(encoding="utf-8")
    assert all(f'{code}: "{name}"' in written for code, name in NAMES.items())
