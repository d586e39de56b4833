"""The REST resources of the list of known aircraft."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

from skywatch.cannonball.area import CannonballService, cannonball_resource
from skywatch.cannonball.known import search, service
from skywatch.cannonball.known.schemas import (
    WHOLE_LIST,
    CheckResult,
    KnownAircraftChangeFields,
    KnownAircraftVerification,
    KnownAircraftVerificationFields,
    KnownEntry,
    KnownFields,
    KnownList,
    KnownQuery,
    KnownStats,
    NewKnownAircraft,
    NewKnownAircraftFields,
)
from skywatch.cannonball.known.search import Filters
from skywatch.cannonball.known.service import known_answer
from skywatch.core.limits import ConcurrencyLimiter
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Target
from skywatch.http.clients.audit import actor_of, recording_refusals
from skywatch.http.limits.slow_work import slow_work, statistics_limiter
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER, Resource, view
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.sentences import sentence

VIEW, MANAGE = ViewPermission.KNOWN_AIRCRAFT_VIEW, Permission.CANNONBALL_MANAGE
ADDRESS = re.compile("[0-9A-Fa-f]{6}")

check = CannonballService("cannonball.known_check", "/cannonball/known-aircraft/check/{icao_hex}")
stats = CannonballService("cannonball.known_stats", "/cannonball/known-aircraft/stats")
verify = CannonballService("cannonball.known_verify", f"/cannonball/known-aircraft/{{id:{NUMBER}}}/verify")


def search_limiter(runtime: Runtime) -> ConcurrencyLimiter:
    """Create the limiter of searches, which look at every entry."""
    words = (
        sentence("work.known_search", "search of known aircraft"),
        sentence("work.many_known_searches", "searches of known aircraft"),
    )
    return slow_work(runtime, "known_searches", *words, at_once=4, wait_s=10.0)


@cannonball_resource("known_aircraft", "/cannonball/known-aircraft", plural="known_aircraft")
class KnownAircraft(Resource):
    """The list of known aircraft."""

    @view(permission=VIEW, query=KnownQuery(), responses={200: KnownList()})
    def collection_get(self) -> dict[str, Any]:
        """List known aircraft

        In the order of their addresses; `search` matches part of the address, the registration or the agency's name.
        Entries of military agencies need `aircraft.view_military`. Without `limit` the whole list is answered, at most
        10,000 entries; pages are made with `limit` (at most 1000) and `offset`, there is no `cursor`. `count` is all
        that match, `next` and `previous` are addresses. The rate limit is that of identified callers: 1000/minute for
        each user (`default_throttle_rates.user`).
        """
        self.request.validated["querystring"]["limit"] = self.request.validated["querystring"]["limit"] or WHOLE_LIST
        query = dict(self.request.validated["querystring"])
        limit, offset = query.pop("limit"), query.pop("offset")
        limiter = self.request.runtime.shared(search_limiter)
        with limiter.turn(self.request.person) if query["search"] is not None else nullcontext():
            matches = search.find(self.request.db, self.request.visibility, Filters(**query), offset, limit)
        return {
            **page(self.request, "aircraft", matches.entries, matches.count),
            "verified_count": matches.verified_count,
        }

    @view(permission=MANAGE, body=NewKnownAircraft(), responses={201: KnownEntry()}, errors=(409,), creates=True)
    def collection_post(self) -> dict[str, Any]:
        """Add a known aircraft

        All given fields count as edited by hand: imports do not change them. Agency type and state are derived from
        the agency's name where they are not given.
        """
        fields = body_of(self.request, NewKnownAircraftFields)
        target = Target("known_aircraft", None, fields.icao_hex)
        with recording_refusals(self.request, "known_aircraft.created", target):
            return known_answer(service.create(self.request.db, actor_of(self.request), fields))

    @view(permission=MANAGE, path=RowId(), responses={200: KnownEntry()}, errors=(404,))
    def get(self) -> dict[str, Any]:
        """Show a known aircraft"""
        return known_answer(service.get(self.request.db, self.request.visibility, self.id))

    @view(permission=MANAGE, path=RowId(), body=KnownFields(), responses={200: KnownEntry()}, errors=(404,))
    def patch(self) -> dict[str, Any]:
        """Change a known aircraft

        The given fields count as edited by hand: imports do not change them.
        """
        fields = body_of(self.request, KnownAircraftChangeFields)
        entry = service.change(self.request.db, self.request.visibility, actor_of(self.request), self.id, fields)
        return known_answer(entry)

    @view(permission=MANAGE, path=RowId(), responses={204: None}, errors=(404,))
    def delete(self) -> None:
        """Remove a known aircraft from the list"""
        service.remove(self.request.db, self.request.visibility, actor_of(self.request), self.id)
        self.request.response.status_code = 204


@check.get(permission=VIEW, responses={200: CheckResult()})
def check_known_aircraft(request: Request) -> dict[str, Any]:
    """Check whether an address is on the list

    What is no ICAO address is not on the list.
    """
    asked: str = request.matchdict["icao_hex"]
    if ADDRESS.fullmatch(asked) is None:
        return {"found": False, "icao_hex": asked}
    icao_hex = asked.upper()
    entry = search.check(request.db, request.visibility, icao_hex)
    return {"found": True, "aircraft": entry} if entry else {"found": False, "icao_hex": icao_hex}


@stats.get(permission=VIEW, responses={200: KnownStats()})
def get_known_aircraft_stats(request: Request) -> dict[str, Any]:
    """Count the entries of the list by agency type and state"""
    with request.runtime.shared(statistics_limiter).turn(request.person):
        totals = search.totals(request.db, request.visibility)
    return {
        "total": totals.total,
        "verified": totals.verified,
        "by_agency_type": totals.by_agency_type,
        "by_state": totals.by_state,
    }


@verify.post(
    permission=MANAGE, path=RowId(), body=KnownAircraftVerification(), responses={200: KnownEntry()}, errors=(404,)
)
def verify_known_aircraft(request: Request) -> dict[str, Any]:
    """Mark a known aircraft as verified

    Without a body it is verified now; `{"verified": false}` removes the verification.
    """
    verified = body_of(request, KnownAircraftVerificationFields).verified
    entry = service.verify(request.db, request.visibility, actor_of(request), row_id(request), verified)
    return known_answer(entry)
