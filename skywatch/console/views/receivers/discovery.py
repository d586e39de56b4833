"""Receivers of this machine and its own networks, looked for when somebody asks."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import colander

from skywatch.console.forms.discovery import is_offered, look
from skywatch.console.forms.form import read_form, read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.core.problems import Problem
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryInteger, Schema, node
from skywatch.receivers.choices import BY_KIND, DOCUMENT
from skywatch.receivers.discovery.probes import TAR1090, THIS_MACHINE, Finding, Round
from skywatch.security.permissions import Permission

PAGES = (Page(route="console.discovery", path="/receivers/discovery", feature="system"),)
SHOWN = (403, 429)


class DiscoveryQuery(Schema):
    """Whether the page was opened from the last step of a new installation."""

    step = node(QueryInteger(), missing=0, validator=colander.Range(3, 3))


discovery_page = FormPage("console.discovery", "discovery.jinja2", Permission.SYSTEM_MANAGE)


@discovery_page.get
def show_discovery(request: Request) -> dict[str, Any]:
    """What looking for receivers does, and the button for it"""
    return _page(request)


@discovery_page.post
def post_discovery(request: Request) -> dict[str, Any]:
    """Look for receivers on this machine and in its private networks; once a minute, within 15 minutes of signing in"""
    read_form(request)
    try:
        return _page(request, look(request))
    except Problem as problem:
        if problem.kind.status not in SHOWN:
            raise
        request.response.status_code = problem.kind.status
        request.response.headers.update(problem.headers)
        return _page(request, problem=problem)


def _page(request: Request, answers: Round | None = None, problem: Problem | None = None) -> dict[str, Any]:
    is_step = bool(read_query(request, DiscoveryQuery())["step"])
    onward = f"{HOME}/receivers/input" + ("?step=3" if is_step else "")
    return {
        "is_offered": is_offered(request),
        "round": answers,
        "has_network": answers is not None and answers.total > 1,
        "rows": [_row(finding, onward) for finding in answers.findings] if answers is not None else [],
        "onward": onward,
        "again": request.path + ("?step=3" if is_step else ""),
        "needs_sign_in": problem is not None and problem.kind.code == "permission_denied",
        "problem": problem,
    }


def _row(finding: Finding, onward: str) -> dict[str, Any]:
    host = "localhost" if finding.host == THIS_MACHINE else str(finding.host)
    fields = {"kind": finding.kind, "host": host, "port": str(finding.port)}
    if finding.kind == "readsb" and finding.path != TAR1090:
        fields["path"] = finding.path.removesuffix(DOCUMENT)
    return {
        "choice": BY_KIND[finding.kind],
        "host": host,
        "is_here": finding.host == THIS_MACHINE,
        "port": finding.port,
        "address": f"{onward}{'&' if '?' in onward else '?'}{urlencode(fields)}",
    }
