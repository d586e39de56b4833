"""The manual says what the service does: its reference pages are the tables of the code, and every link leads on."""

import importlib.util
import re

import pytest

from skywatch.core.problems import KINDS
from skywatch.features import FEATURES, SETTINGS
from skywatch.http.openapi.document import document
from skywatch.security.permissions import Permission
from skywatch.settings import names_of, public_name
from tests.conftest import ROOT

CODES = {*KINDS, *FEATURES.problems}

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def pages():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    return generate.pages()


def test_the_reference_pages_are_up_to_date(pages):
    stale = [name for name, text in pages.items() if (DOCS / "reference" / name).read_text(encoding="utf-8") != text]
    assert not stale, f"{', '.join(stale)}: run python docs/generate.py"


def test_every_setting_permission_and_error_code_is_in_the_manual():
    reference = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "reference").glob("*.md"))
    names = {public_name(field) for field in names_of(SETTINGS).fields.values()} | set(CODES) | set(Permission)
    assert not {name for name in names if f"`{name}`" not in reference}


def test_every_endpoint_is_in_the_manual_and_in_the_openapi_document(client):
    endpoints = (DOCS / "reference" / "endpoints.md").read_text(encoding="utf-8")
    described = document(client.app.registry.cornice_services.values(), "test", FEATURES)
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"| `{method.upper()}` | `{path}` |" in endpoints


def test_every_event_is_in_the_manual():
    text = (DOCS / "realtime.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "skywatch").rglob("*.py"))
    events = set(re.findall(r'"((?:aircraft|alert|cannonball|safety|acars|audio|system):[a-z_]+)"', sources))
    assert events
    events |= set(FEATURES.events)
    assert not {event for event in events if event not in text}


def test_every_page_is_in_the_contents_and_every_link_leads_on():
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).as_posix()
        assert f": {name}\n" in contents, f"{name} is not in mkdocs.yml"
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:", link):
                assert (page.parent / link).exists(), f"{name} links to {link}, which is not there"
