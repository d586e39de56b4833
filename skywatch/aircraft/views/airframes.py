"""What is known of airframes by their ICAO address, alone or many at once."""

from __future__ import annotations

from typing import Any

from skywatch.aircraft import schemas
from skywatch.airframes import military
from skywatch.airframes import service as airframes
from skywatch.airframes.models import MilitaryRecord
from skywatch.core.problems import not_found
from skywatch.core.storage.audit import Target
from skywatch.http.clients.audit import recording_refusals
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import ApiService
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

one_airframe = ApiService("aircraft.airframe", "/aircraft/airframes/{icao_hex}", feature="aircraft")
military_state = ApiService("aircraft.airframe.military", "/aircraft/airframes/{icao_hex}/military", feature="aircraft")
lookup = ApiService("aircraft.airframes.lookup", "/aircraft/airframes/lookup", feature="aircraft")

# What needs ``aircraft.view_details``.
DETAILS = frozenset(("registration", "operator", "owner", "year"))


@one_airframe.get(
    permission=Permission.AIRCRAFT_VIEW,
    path=schemas.AircraftPath(),
    responses={200: schemas.Airframe()},
    errors=(404,),
)
def get_airframe(request: SkyRequest) -> dict[str, Any]:
    """What is known of one airframe, in the sky or not"""
    address = request.validated["path"]["icao_hex"]
    visibility: Visibility = request.visibility
    frame = airframes.find(request.db, address)
    if frame is None or (not visibility.military and _is_military(request, frame)):
        raise not_found(sentence("thing.airframe", "airframe"))
    return airframe_answer(frame, visibility)


@lookup.post(
    permission=Permission.AIRCRAFT_VIEW, body=schemas.AirframeLookup(), responses={200: schemas.AirframeList()}
)
def look_up_airframes(request: SkyRequest) -> dict[str, Any]:
    """What is known of up to 500 airframes"""
    visibility: Visibility = request.visibility
    addresses = list(dict.fromkeys(body_of(request, schemas.AirframeLookupFields).icao_hex))
    frame_of = airframes.find_many(request.db, addresses)
    frames = [frame_of[address.upper()] for address in addresses if address.upper() in frame_of]
    shown = [frame for frame in frames if visibility.military or not _is_military(request, frame)]
    answers = [airframe_answer(frame, visibility) for frame in shown]
    seen = {entry["icao_hex"] for entry in answers}
    missing = [address.upper() for address in addresses if address.upper() not in seen]
    return {"airframes": answers, "count": len(answers), "not_found": missing}


@military_state.get(
    permission=Permission.SYSTEM_MANAGE, path=schemas.AircraftPath(), responses={200: schemas.MilitaryState()}
)
def get_military_state(request: Request) -> dict[str, Any]:
    """Whether an aircraft is military, and why"""
    return _state_answer(request, military.state_of(request.db, request.validated["path"]["icao_hex"]))


@military_state.put(
    permission=Permission.SYSTEM_MANAGE,
    path=schemas.AircraftPath(),
    body=schemas.MilitaryDecision(),
    responses={200: schemas.MilitaryState()},
)
def decide_military_state(request: Request) -> dict[str, Any]:
    """Set whether an aircraft is military

    `false` shows an aircraft, and all that is stored of it, to everybody who may see aircraft, whatever lists,
    receivers and its address say; `true` hides it from everybody without `aircraft.view_military`; `null` leaves it to
    lists and receivers again. In force within two seconds, and in the audit log.
    """
    address, decision = request.validated["path"]["icao_hex"], body_of(request, schemas.MilitaryDecisionFields).military
    with recording_refusals(request, "airframe.military_set", Target("airframe", address.upper())) as actor:
        return _state_answer(request, military.decide(request.db, actor, address, decision))


def _state_answer(request: Request, record: MilitaryRecord) -> dict[str, Any]:
    hidden = {} if request.visibility.military else dict.fromkeys(("military", "listed", "reported_at"))
    return answer(schemas.MilitaryState, record, **hidden)


def _is_military(request: SkyRequest, frame: airframes.Airframe) -> bool:
    return frame.military or request.sky.is_military(frame.icao_hex)


def airframe_answer(frame: airframes.Airframe, visibility: Visibility) -> dict[str, Any]:
    """An airframe as the caller may see it."""
    fields = answer(schemas.Airframe, frame, type=frame.type_code)
    return fields if visibility.details else {name: value for name, value in fields.items() if name not in DETAILS}
