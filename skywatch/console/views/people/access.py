"""Feature access: who may read and write each feature, and whether it is switched on."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.accounts.access import service as access
from skywatch.accounts.access.schemas import AccessReplacement
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.accounts.nodes import LEVELS
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import VERSION
from skywatch.console.forms.form import checked, read_form
from skywatch.console.pages.page import FormPage, Page
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem
from skywatch.core.storing.audit import Target
from skywatch.core.storing.versions import check_version, version_of
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission

# Of no feature: one that is switched off must not lock away the switch.
PAGES = (
    Page(
        route="console.access",
        path="/access",
        title="Who may see what",
        group="People",
        permission=Permission.SYSTEM_MANAGE,
    ),
)


access_page = FormPage("console.access", "access.jinja2", Permission.SYSTEM_MANAGE)


@access_page.get
def show_access(request: Request) -> dict[str, Any]:
    """The three settings of every feature"""
    return _page(request)


@access_page.post
def post_access(request: Request) -> dict[str, Any] | Response:
    """Change the settings of one feature; they hold at once"""
    form = read_form(request, "feature", "read_access", "write_access", "is_enabled", VERSION)
    feature = form.get("feature", "")
    wanted: dict[str, Any] = {name: form[name] for name in ("read_access", "write_access") if name in form}
    # A check box that is not selected is not sent.
    wanted["is_enabled"] = form.get("is_enabled") == "true"
    try:
        fields = checked(AccessReplacement(), wanted)
        target = Target("feature_access", feature[:64])
        with changing(request, "feature_access.changed", target) as (session, caller):
            caller.begin(session, Permission.SYSTEM_MANAGE)
            present = _values(access.get_access(session, feature))
            check_version(session, target, form.get(VERSION, ""), present)
            access.change_access(session, caller, feature, fields)
    except Problem as problem:
        return refused(request, problem, _page(request, feature, wanted))
    return done(
        request,
        request.path,
        translate(request, "The settings of {feature} are in force.", feature=translate(request, feature)),
    )


def _page(request: Request, feature: str | None = None, wanted: dict[str, Any] | None = None) -> dict[str, Any]:
    rows = []
    for setting in access.find_access(request.db):
        present = _values(setting)
        row = {"feature": setting.feature, **present, "version": version_of(present)}
        rows.append({**row, **wanted} if wanted is not None and setting.feature == feature else row)
    return {"rows": rows, "levels": LEVELS, "mode": request.runtime.settings.auth_mode, "problem": None}


def _values(setting: FeatureAccessSetting) -> dict[str, Any]:
    return {name: getattr(setting, name) for name in access.FIELDS}
