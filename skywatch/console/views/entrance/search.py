"""The search over pages and settings: only what the visitor may open is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import colander

from skywatch.console.forms.form import read_query
from skywatch.console.page import Page
from skywatch.console.pages.layout import layout_of
from skywatch.console.routes import HOME, SEARCH
from skywatch.console.texts.catalogue import Catalogue
from skywatch.console.texts.language import catalogue_of
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.schema import QueryString, Schema, node
from skywatch.security.permissions import ViewPermission
from skywatch.settings import origins_of

PAGES = (Page(route="console.search", path=SEARCH.removeprefix(HOME)),)
MAX_LENGTH = 100
# Whoever finds more than this looks for something narrower.
MAX_SETTINGS = 50
SETTINGS = "/settings"
# Settings that have a form, by the beginning of their names.
FORMS = {
    "station_": "/station",
    "retention_": "/retention",
    "map_region_": "/maps/region",
    "map_": "/maps",
    "base_map.": "/maps",
    "photo_source": "/maps",
    "weather_": "/maps",
    "airframes_url": "/airframes",
    "backup_": "/backups",
    "notify_allow_networks": "/channels/networks",
    "notify_own_networks": "/channels/networks",
}
# Path of a page -> what is done there: it is found by these words and shown with them.
DESCRIPTIONS = {
    "": "What needs attention, reception, people who are signed in, room on disk.",
    "/receivers": "Add, try, change and remove receivers and other inputs.",
    "/station": "Name and position of the station, and how exactly others may know it.",
    "/users": "Create people, give them roles, set passwords, end sessions, delete accounts.",
    "/access": "Which features visitors and people without the permission may see.",
    "/keys": "Keys of programs: who has which, last used, revoke.",
    "/roles": "What each role allows; create and change roles.",
    "/mappings": "Which groups of the identity provider get which roles.",
    "/sign-on": "Single sign-on: the lines for the ini file, and a trial of the provider and of a login.",
    "/channels": "Channels that notifications are sent to: switch on and off, test, deliveries.",
    "/channels/networks": "Private networks that channels, webhooks and ntfy may reach: allow your own.",
    "/thresholds": "When an event begins: distances, altitudes, rates.",
    "/retention": "How long and how much of each kind of data is stored.",
    "/backups": "Backups of the database and the settings: make one, schedule, download, restore.",
    "/airframes": "Registration, type and operator of aircraft: what is known, import a list.",
    "/maps": "Base maps, weather radar, photos and airspaces.",
    "/maps/region": "Roads, woods and buildings around the station: how large, fetch, stop, remove.",
    "/known-aircraft": "Aircraft to watch for: find, add, verify, import a list.",
    "/health": "How each part is now, and how that changed.",
    "/settings": "Every setting in force, its value and where it comes from.",
    "/audit": "Who changed what, when and from where.",
    "/software": "Versions and licences of the packages in use.",
}


class SearchQuery(Schema):
    """What is looked for."""

    q = node(QueryString(), missing="", validator=colander.Length(max=MAX_LENGTH))


@dataclass(frozen=True)
class Hit:
    """A page, or a setting by its name, with the page that shows it."""

    address: str
    title: str
    text: str
    group: str


@view_config(
    route_name="console.search", request_method="GET", permission=ViewPermission.IDENTIFIED, renderer="search.jinja2"
)
def show_search(request: Request) -> dict[str, Any]:
    """Pages and settings by their names and by what they are for"""
    text = read_query(request, SearchQuery())["q"]
    words = text.casefold().split()
    offered = layout_of(request).pages
    catalogue = catalogue_of(request)
    settings = []
    if words and any(page.path == SETTINGS for page in offered):
        settings = list(_settings(request, {page.path for page in offered}, words, catalogue))
    return {
        "searched": text,
        "pages": list(_pages(offered, words, catalogue)) if words else [],
        "settings": settings[:MAX_SETTINGS],
        "more": max(0, len(settings) - MAX_SETTINGS),
    }


def _pages(offered: list[Page], words: list[str], catalogue: Catalogue) -> Iterator[Hit]:
    """Titles first; English words find a page in every language."""
    hits: list[tuple[bool, Hit]] = []
    for page in offered:
        english = (page.title, page.group, DESCRIPTIONS.get(page.path, ""))
        title, group, text = (catalogue.text(sentence) if sentence else "" for sentence in english)
        if _has(words, title, group, text) or _has(words, *english):
            is_title = _has(words, title) or _has(words, page.title)
            hits.append((not is_title, Hit(HOME + page.path, title, text, group)))
    yield from (hit for _, hit in sorted(hits, key=lambda entry: entry[0]))


def _settings(request: Request, paths: set[str], words: list[str], catalogue: Catalogue) -> Iterator[Hit]:
    """Settings by name and meaning; never by their value, which may be a secret."""
    for origin in sorted(origins_of(request.runtime.current), key=lambda origin: origin.name):
        meaning = catalogue.sentence(origin.meaning)
        if _has(words, origin.name, meaning) or _has(words, origin.name, origin.meaning):
            path = next((path for start, path in FORMS.items() if origin.name.startswith(start)), SETTINGS)
            if path == SETTINGS or path not in paths:
                url = f"{SETTINGS}?search={origin.name}"
            else:
                url = f"{path}#field-{origin.name}"
            yield Hit(HOME + url, origin.name, meaning, "")


def _has(words: list[str], *texts: str) -> bool:
    """Whether every word is in one of the texts; an underscore of a setting counts as a space too."""
    text = " ".join(texts).casefold()
    return all(word in text or word in text.replace("_", " ") for word in words)
