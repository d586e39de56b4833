"""The language that a reader chooses at the foot of a page."""

from __future__ import annotations

import colander
from pyramid.response import Response

from skywatch.console.forms.form import parameter, read_query
from skywatch.console.routes import local_or_visitors, see_other
from skywatch.console.texts.catalogue import LANGUAGES
from skywatch.console.texts.language import remember_language
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.schema import QueryString, Schema, node
from skywatch.security.permissions import ViewPermission


class LanguageQuery(Schema):
    """The language, and the page to come back to."""

    language = node(QueryString(), validator=colander.OneOf(LANGUAGES))
    next = node(QueryString(), missing="")


@view_config(route_name="console.language", request_method="GET", permission=ViewPermission.OPEN)
def choose_language(request: Request) -> Response:
    """Remember the language and come back; nothing but the cookie of this browser changes, so it needs no token"""
    language: str = read_query(request, LanguageQuery())["language"]
    response = see_other(request, local_or_visitors(parameter(request, "next")))
    remember_language(request, response, language)
    return response
