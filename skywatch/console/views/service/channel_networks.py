"""The private networks that channels may reach: what the ini file allows, and own ones, allowed and withdrawn."""

from __future__ import annotations

from typing import Any

import colander
from pyramid.response import Response

from skywatch.accounts.identity.proof import SIGN_IN_AGAIN, check_proof
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.form import read_form, read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryString, Schema, node
from skywatch.notify import networks
from skywatch.notify.settings import NotifySettings
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.settings import ini_line

ADDRESS = f"{HOME}/channels/networks"
PAGES = (
    Page(
        route="console.channel_networks",
        path="/channels/networks",
        feature="system",
        title="Networks",
        group="Alerts and channels",
        permission=Permission.SYSTEM_MANAGE,
    ),
)
# What a household has, for the line of the ini file where nothing better is known.
EXAMPLE = "192.168.1.0/24"


class NetworkQuery(Schema):
    """The host of a channel whose address was refused."""

    host = node(QueryString(), missing="", validator=colander.Length(max=253))


networks_page = FormPage("console.channel_networks", "channel_networks.jinja2", Permission.SYSTEM_MANAGE)


@networks_page.get
def show_networks(request: Request) -> dict[str, Any]:
    """The private networks that channels may reach, and those of this machine that could be allowed"""
    return _page(request)


@networks_page.post
def post_networks(request: Request) -> dict[str, Any] | Response:
    """Allow channels to reach a network of this machine, within 15 minutes of signing in; or withdraw that"""
    form = read_form(request, "do", "network")
    network = form.get("network", "")
    try:
        text = _change(request, form.get("do", ""), network)
    except Problem as problem:
        return refused(request, problem, _page(request))
    request.runtime.stored.expire()
    return done(request, ADDRESS, text)


def _change(request: Request, what: str, network: str) -> str:
    settings = request.runtime.settings
    target = Target("setting", networks.SETTING, networks.SETTING)
    with changing(request, "setting.changed", target) as (session, caller):
        caller.begin(session, Permission.SYSTEM_MANAGE)
        if what == "withdraw":
            networks.withdraw(session, settings, caller.actor, network)
            return translate(request, "Channels may not reach {network} any more.", network=network)
        if what != "allow":
            raise invalid("do", sentence("console.do_network", "must be allow or withdraw"))
        check_proof(session, request.caller.login_id)
        networks.allow(session, settings, caller.actor, network)
        return translate(request, "Channels may reach {network} now. Save the channel again.", network=network)


def _page(request: Request) -> dict[str, Any]:
    host = read_query(request, NetworkQuery())["host"]
    fixed = networks.allowed_in_file(request.runtime.settings)
    allowed = [
        network for network in request.runtime.current.of(NotifySettings).notify_own_networks if network not in fixed
    ]
    own = networks.own_networks()
    asked = networks.network_of(host) if host else None
    needs_line = asked not in own if asked else not own
    return {
        "host": host,
        "asked": asked,
        "is_allowed": asked in (*fixed, *allowed),
        "fixed": fixed,
        "allowed": allowed,
        "offered": [network for network in own if network not in (*fixed, *allowed)],
        "line": ini_line("notify_allow_networks", " ".join([*fixed, asked or EXAMPLE])) if needs_line else "",
        "address": ADDRESS,
        "again": request.path + (f"?{request.query_string}" if request.query_string else ""),
        "sign_in_again": SIGN_IN_AGAIN,
        "problem": None,
    }
