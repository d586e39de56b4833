"""The identity providers of the settings: what each is set to, and a trial of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa

from skywatch.console.forms.form import parameter, read_form
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import SIGN_ON, SIGNED_ON
from skywatch.console.sessions.sso_trial import ACTION, TRIAL, discover
from skywatch.core.database.models import AuditEntry
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target, record_apart
from skywatch.http.clients.audit import actor_of
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission
from skywatch.sso.sign_on.addresses import own_address
from skywatch.sso.sign_on.flow import SignOn

PAGES = (
    Page(
        route="console.providers",
        path="/sign-on",
        feature="roles",
        title="Identity providers",
        group="People",
        permission=Permission.ROLES_EDIT,
    ),
)
CALLBACK = "/api/v1/auth/oidc/callback"


providers_page = FormPage("console.providers", "providers.jinja2", Permission.ROLES_EDIT)


@providers_page.get
def show_providers(request: Request) -> dict[str, Any]:
    """The identity providers, and what came of the viewer's last trial of a login"""
    page = _page(request)
    return {**page, "tried": _last_trial(request)} if parameter(request, "trial") == "done" else page


@providers_page.post
def post_discovery(request: Request) -> dict[str, Any]:
    """Ask a provider for its metadata and keys; nothing is changed"""
    name, failure, metadata = read_form(request, "party").get("party", ""), None, None
    try:
        metadata = discover(request, name)
    except Problem as problem:
        if problem.kind.code == "not_found":
            raise
        failure = problem
    after = {"result": failure.kind.code if failure is not None else "answered"}
    record_apart(request.runtime.sessions, actor_of(request), "provider.tried", Target("provider", name), after=after)
    return {**_page(request), "asked": name, "found": metadata, "failure": failure}


def _page(request: Request) -> dict[str, Any]:
    address = own_address(request)
    providers = [party.provider for party in request.runtime.shared(SignOn).parties.values()]
    return {
        "providers": [
            {"entry": provider, "trial": f"{SIGN_ON}?{urlencode({'provider': provider.name, 'next': TRIAL})}"}
            for provider in providers
        ],
        "callbacks": [address + CALLBACK, address + SIGNED_ON],
        "asked": None,
        "found": None,
        "failure": None,
        "tried": None,
        "problem": None,
    }


def _last_trial(request: Request) -> dict[str, Any] | None:
    own = sa.select(AuditEntry).where(AuditEntry.action == ACTION, AuditEntry.actor_id == request.caller.user_id)
    entry = request.db.scalars(own.order_by(AuditEntry.id.desc()).limit(1)).one_or_none()
    return entry.after if entry is not None else None
