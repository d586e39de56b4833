"""API keys of everybody: whose they are, what they open, when they were last used; and their end."""

from __future__ import annotations

from typing import Any

import colander
from pyramid.response import Response

from skywatch.accounts.keys import service as keys
from skywatch.accounts.users.service import permissions_of
from skywatch.console.forms.changes import done, refused
from skywatch.console.forms.form import read_form, read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.pages.pagination import PAGE_SIZE, Pages, address
from skywatch.console.texts.language import translate
from skywatch.console.views.people.user import revoke
from skywatch.core.problems import Problem
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryInteger, QueryString, Schema, node
from skywatch.security.permissions import Permission

PAGES = (
    Page(
        route="console.keys",
        path="/keys",
        feature="users",
        title="API keys",
        group="People",
        permission=Permission.USERS_VIEW,
    ),
)


class KeyFilter(Schema):
    owner = node(QueryString(), validator=colander.Length(1, 254), missing=colander.drop)
    after = node(QueryInteger(), validator=colander.Range(1, 2**63 - 1), missing=colander.drop)


keys_page = FormPage("console.keys", "keys.jinja2", Permission.USERS_VIEW, post_permission=Permission.USERS_EDIT)


@keys_page.get
def show_keys(request: Request) -> dict[str, Any]:
    """API keys, the newest first, also by owner; never their text"""
    return _page(request)


@keys_page.post
def post_keys(request: Request) -> dict[str, Any] | Response:
    """Revoke an API key of somebody who holds no more than the viewer"""
    form = read_form(request, "key")
    try:
        text = revoke(request, form.get("key", ""))
    except Problem as problem:
        return refused(request, problem, _page(request))
    return done(request, request.path, text)


def _page(request: Request) -> dict[str, Any]:
    query = read_query(request, KeyFilter())
    rows = keys.find_keys_of_all(
        request.db, owner=query.get("owner"), before_id=query.get("after"), limit=PAGE_SIZE + 1
    )
    shown = rows[:PAGE_SIZE]
    is_first = "after" not in query
    pages = Pages(
        "" if rows else translate(request, "Nothing found"),
        previous=None if is_first else address(request),
        next=address(request, after=shown[-1][0].id) if len(rows) > PAGE_SIZE else None,
    )
    may_edit, rights = Permission.USERS_EDIT in request.visibility.permissions, request.caller.permissions
    return {
        "keys": [
            {
                "entry": key,
                "owner": owner,
                "is_active": keys.is_active(key),
                "may_revoke": may_edit and permissions_of(owner) <= rights,
            }
            for key, owner in shown
        ],
        "owner": query.get("owner", ""),
        "pages": pages,
        "problem": None,
    }
