"""Every page of the console in every language: rendered without fault, and without English where the text is known."""

import re

import pytest

from skywatch.console.texts.catalogue import Catalogue
from tests.functional.console.system_pages import SYSTEM_PAGES
from tests.functional.console.test_matrix import TABLE

pytestmark = pytest.mark.deep("walks a whole table")

# A file, and the way to the application.
NO_PAGES = ("/audit/export", "/map")
PAGES = sorted({path for method, path, _ in (*TABLE, *SYSTEM_PAGES) if method == "GET" and "{" not in path})
OF_A_USER = ("", "/edit", "/password", "/reset-link", "/delete")
OF_A_SERVICE = ("", "/edit", "/keys/new")


def texts_of(page):
    """What the page shows, piece by piece."""
    body = page.html.find("body")
    for element in body.find_all(["script", "style", "code", "bdi", "option"]):
        element.decompose()
    return {" ".join(text.split()) for text in body.stripped_strings}


# That the other languages are complete is a matter of the catalogue.
def test_every_page_is_in_the_language_of_its_reader(root):
    language = "de"
    user = root.people.numbers["viewer"]
    catalogue = Catalogue(language)
    root.client.set_cookie("skywatch_console_language", language)
    service = root.people.user("program", "viewer", kind="service")
    pages = [path for path in PAGES if path not in NO_PAGES]
    pages += [f"/users/{user}{part}" for part in OF_A_USER] + [f"/users/{service}{part}" for part in OF_A_SERVICE]
    for path in pages:
        page = root.get(path)
        assert page.html.find("html")["lang"] == language
        # A placeholder that was not filled; those of map tiles are meant.
        assert set(re.findall(r"\{[a-z_]+\}", page.html.find("main").text)) <= {"{z}", "{x}", "{y}", "{date}"}, path
        english = {text for text in texts_of(page) if catalogue.has(text) and catalogue.text(text) != text}
        # Somebody's name.
        english.discard("Viewer")
        assert english == set(), path


def test_a_refused_form_says_what_is_wrong_in_the_language_of_its_reader(root):
    root.client.set_cookie("skywatch_console_language", "de")
    page = root.post("/users/new", {"csrf_token": root.token, "nonsense": "x"}, status=400)
    assert "Die Eingabe ist nicht gültig" in page.text
    assert "ist hier nicht bekannt" in page.text
    missing = root.get("/users/999999", status=404)
    assert missing.html.find("h1").text == "Nicht gefunden"
    assert "Das gibt es hier nicht" in missing.text


def test_what_was_done_is_said_in_the_language_of_its_reader(root):
    root.client.set_cookie("skywatch_console_language", "es")
    user = root.people.numbers["viewer"]
    fields = {"csrf_token": root.token, "change": "end_logins"}
    assert "Se han terminado 0 sesiones de viewer." in root.post(f"/users/{user}", fields, status=303).follow().text
