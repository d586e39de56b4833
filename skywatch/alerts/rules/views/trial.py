"""The REST resources of the dry run."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.alerts.access import owner_id
from skywatch.alerts.area import AlertService
from skywatch.alerts.conditions.states import check_triable
from skywatch.alerts.engine.operands.documents import SkyMaker
from skywatch.alerts.engine.program import Rights
from skywatch.alerts.rules import service
from skywatch.alerts.rules.checks import check_rights, faults_of, with_duration
from skywatch.alerts.rules.schemas import RuleFields
from skywatch.alerts.rules.trials.limits import PAST_S, limited
from skywatch.alerts.rules.trials.schemas import (
    TrialOfRule,
    TrialOfRuleFields,
    TrialRequest,
    TrialRequestFields,
    TrialResult,
)
from skywatch.alerts.rules.trials.trial import Trial, past_messages, referenced_objects, run_past, step_of
from skywatch.archive.reader.archive_reader import bind, days_of
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.hooks import PastPictures
from skywatch.core.problems import Problem, invalid_fields
from skywatch.core.process.deadline import Deadline
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.picture.hooks import GivenAircraft
from skywatch.picture.settings import PictureSettings
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

LONGEST = timedelta(hours=24)


class DryRunRequest(SkyRequest):
    """A request that ``limited`` has admitted."""

    deadline: Deadline


test = AlertService("alerts.rules_test", "/alerts/rules/test")
test_one = AlertService("alerts.rule_test", f"/alerts/rules/{{id:{NUMBER}}}/test")


@test.post(
    permission=Permission.ALERTS_VIEW,
    body=TrialRequest(),
    responses={200: TrialResult()},
    errors=(404, 503),
    decorator=limited,
)
def test_rule(request: DryRunRequest) -> dict[str, Any]:
    """Try a rule out

    Returns its alerts, and how many an hour, on the live picture, on the `aircraft` in the body, or on stored history
    between `from` and `to` (24 hours at most). Nothing is stored or sent.

    A caller has one dry run at a time, and a process runs two: 503 with `Retry-After` beyond that, and for one that
    takes more than 5 s. Over history it ends after 40 s with what it has (`truncated`). Dry runs have a rate limit of
    their own (`default_throttle_rates.dry_run`), and end when the client closes its connection.
    """
    body = body_of(request, TrialRequestFields)
    if (body.rule is None) == (body.rule_id is None):
        raise invalid_fields({"rule": sentence("alerts.rule_or_id", "give either rule or rule_id")})
    if body.rule is None:
        assert body.rule_id is not None
        return _try_stored(request, body.rule_id, body)
    user_id = owner_id(request.visibility)
    check_triable(body.rule.conditions, "rule.conditions")
    rule = with_duration(body.rule)
    with _reading(request) as session:
        faults = faults_of(session, rule, user_id)
        if faults:
            raise invalid_fields({f"rule.{name}": detail for name, detail in faults.items()})
        check_rights(msgspec.structs.replace(rule, mqtt=False), request.visibility)
        return _run(request, session, rule, user_id, body)


@test_one.post(
    permission=Permission.ALERTS_VIEW,
    path=RowId(),
    body=TrialOfRule(),
    responses={200: TrialResult()},
    errors=(404, 503),
    decorator=limited,
)
def test_stored_rule(request: DryRunRequest) -> dict[str, Any]:
    """Try a stored rule out with the rights of the caller

    It has the limits of a dry run of a rule in the body. A shared rule of somebody else is tried on the live picture
    only.
    """
    return _try_stored(request, row_id(request), body_of(request, TrialOfRuleFields))


def _reading(request: DryRunRequest) -> Session:
    """A session of its own: a dry run can take long, and the request's session would block other writers."""
    session: Session = request.runtime.sessions()
    return session


def _try_stored(request: DryRunRequest, rule_id: int, body: TrialOfRuleFields) -> dict[str, Any]:
    with _reading(request) as session:
        row = service.get(session, request.visibility, rule_id)
        is_live = body.aircraft is None and body.begin is None and body.end is None
        if not is_live and not service.may_change(request.visibility, row):
            # Invented aircraft and a day of history would show its owner's geofences and watch lists piece by piece.
            raise Problem(
                "permission_denied",
                sentence("alerts.trial_of_other_live", "A rule of somebody else is tried on the live picture only."),
            )
        rule = service.fields_of(row)
        if rule.conditions.node is None:
            raise invalid_fields(rule.conditions.faults)
        check_triable(rule.conditions)
        return _run(request, session, rule, row.user_id, body)


def _run(
    request: DryRunRequest, session: Session, rule: RuleFields, user_id: int, body: TrialOfRuleFields
) -> dict[str, Any]:
    """Run on the data that the body names; ``user_id`` owns the geofences and lists that the rule refers to."""
    begin, end = _span(body)
    visibility, deadline = request.visibility, request.deadline
    if begin is not None:
        deadline.extend(PAST_S)
    deadline.check()
    rights = Rights.of(visibility)
    fences, lists = referenced_objects(session, rule.conditions, user_id, deadline.check)
    trial = Trial(rule, rights, fences, lists, at_once=begin is None, checkpoint=deadline.check)
    station = request.runtime.current.of(PictureSettings).station_for(exact=visibility.exact_station)
    if begin is not None and end is not None:
        _run_past(request, session, trial, begin, end, station)
    elif body.aircraft is not None:
        sky = SkyMaker(station, deadline.check).sky(body.aircraft, unix_now())
        for hook in request.runtime.features.provided(GivenAircraft):
            hook.complete(session, sky, visibility)
        trial.take(sky)
    else:
        trial.take(request.sky)
    return trial.answer()


def _run_past(
    request: DryRunRequest, session: Session, trial: Trial, begin: datetime, end: datetime, station: Any
) -> None:
    if Permission.HISTORY_VIEW not in request.visibility.permissions:
        raise Problem(
            "permission_denied", sentence("alerts.trial_needs_history", "A dry run over the past needs history.view.")
        )
    past_pictures = request.runtime.features.only(PastPictures)
    if past_pictures is None:
        raise Problem("unavailable", sentence("alerts.no_history", "This installation stores no history."))
    seconds = (end - begin).total_seconds()
    trial.hours = seconds / 3600
    user = request.visibility.user_id
    caller = f"user {user}" if user is not None else f"address {request.client_address}"
    bind(session, request.runtime, caller, is_stream=True, asked=days_of(begin, end))
    span = begin.timestamp(), end.timestamp()
    messages = past_messages(session, trial.fields.conditions, *span, request.visibility)
    run_past(trial, past_pictures.read(session, *span, step_of(seconds), request.visibility), station, messages)


def _span(body: TrialOfRuleFields) -> tuple[datetime | None, datetime | None]:
    begin, end = body.begin, body.end
    if begin is None and end is None:
        return None, None
    if body.aircraft is not None:
        raise invalid_fields(
            {"aircraft": sentence("alerts.aircraft_or_span", "cannot be given together with from and to")}
        )
    if begin is None:
        raise invalid_fields({"from": sentence("alerts.needed_with_to", "is required with to")})
    end = end or utcnow()
    if end <= begin:
        raise invalid_fields({"to": sentence("alerts.to_after_from", "must be after from")})
    if end - begin > LONGEST:
        raise invalid_fields({"to": sentence("alerts.at_most_a_day", "must be at most 24 hours after from")})
    return begin, end
