"""The language of a page: the reader's choice, else the browser's, else English."""

from __future__ import annotations

from typing import Any

from pyramid.config import Configurator

from skywatch.console.sessions.session import set_cookie
from skywatch.console.texts.catalogue import LANGUAGES, Catalogue, catalogues
from skywatch.http.requests.request import Request

COOKIE = "skywatch_console_language"
LIFETIME_S = 365 * 86_400


def negotiate(request: Request) -> str:
    """The language of a request, which Pyramid keeps as ``request.locale_name``."""
    chosen = request.cookies.get(COOKIE, "")
    if chosen in LANGUAGES:
        return chosen
    return str(request.accept_language.lookup(LANGUAGES, default=LANGUAGES[0]))


def remember_language(request: Request, response: Any, language: str) -> None:
    """Have the browser remember the choice of a reader; what is no language of the console is left alone."""
    if language in LANGUAGES:
        set_cookie(request, response, COOKIE, language, max_age_s=LIFETIME_S)


def catalogue_of(request: Request) -> Catalogue:
    """The texts in the language of a request."""
    return catalogues()[request.locale_name]


def translate(request: Request, english: str, **values: Any) -> str:
    """A text in the language of a request, with its values."""
    return catalogue_of(request).text(english, **values)


def includeme(config: Configurator) -> None:
    """Choose the language of each request; the catalogue is read when the first page is shown."""
    config.set_locale_negotiator(negotiate)
