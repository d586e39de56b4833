"""The REST resources of the quality of reception, of receivers of the settings and of feeders."""

from __future__ import annotations

from typing import Any

from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, not_found
from skywatch.feeders.records import service as feeders
from skywatch.feeders.records.answers import is_exact
from skywatch.http.requests.request import Request
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.picture.counted import counts_simulated
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.settings import ReceiverSettings, simulates
from skywatch.reception.figures import schemas
from skywatch.reception.figures.coverage import coverage
from skywatch.reception.figures.quality import quality
from skywatch.reception.series import SLOT_S, last_reception, slots_of
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

day_reception = ApiService("system_reception", "/system/reception", feature="system")
receiver_quality = ApiService("system_receiver_quality", "/system/receivers/{name}/quality", feature="system")
feeder_quality = ApiService(
    "feeders.quality",
    f"/feeders/{{id:{NUMBER}}}/quality",
    feature="feeders",
)
feeder_coverage = ApiService(
    "feeders.coverage",
    f"/feeders/{{id:{NUMBER}}}/coverage",
    feature="feeders",
)


@day_reception.get(permission=Permission.SYSTEM_VIEW_STATUS, responses={200: schemas.ReceptionOfDay()})
def get_reception_of_day(request: Request) -> dict[str, Any]:
    """What all receivers received over the last day

    The newest slot is the present one. Simulated receivers count until another one has been heard. Military aircraft
    are counted for those who may see them.
    """
    receivers = request.runtime.current.of(ReceiverSettings).receivers
    of_all = counts_simulated(request.db)
    names = {name for name, text in receivers.items() if of_all or not simulates(text)}
    slots = slots_of(last_reception(request.runtime.bus), names, military=request.visibility.military)
    return {"slot_s": SLOT_S, "slots": slots}


@receiver_quality.get(
    permission=Permission.SYSTEM_VIEW_STATUS,
    path=schemas.ReceiverName(),
    responses={200: schemas.ReceptionQuality()},
    errors=(404,),
)
def get_receiver_quality(request: Request) -> dict[str, Any]:
    """How well a receiver of the settings receives

    Numbers of the present minute follow within a minute. Where nobody may know the place of the station
    (`station_accuracy = none`), it is for holders of `system.manage` and clients on this machine.
    """
    name = schemas.receiver_name(request)
    settings = request.runtime.current
    text = settings.of(ReceiverSettings).receivers.get(name)
    if text is None:
        raise not_found(sentence("thing.receiver", "receiver"))
    place = settings.of(PictureSettings)
    has_place = place.station is not None or "place=" in text
    if has_place and place.station_accuracy == "none" and not request.visibility.exact_station:
        raise Problem(
            "permission_denied",
            sentence(
                "reception.ranges_show_antenna",
                "Ranges would show where the antenna is: seeing them needs system.manage.",
            ),
        )
    return quality(request.db, name, utcnow())


@feeder_quality.get(
    permission=Permission.FEEDERS_VIEW, path=RowId(), responses={200: schemas.ReceptionQuality()}, errors=(404,)
)
def get_feeder_quality(request: Request) -> dict[str, Any]:
    """How well a feeder receives

    Unless the feeder's place is exact, it is for its owner and holders of `feeders.manage`: ranges and signals show
    where an antenna is.
    """
    feeder = feeders.get(request.db, row_id(request))
    if not is_exact(request.visibility, feeder):
        raise Problem(
            "permission_denied",
            sentence(
                "reception.place_not_public",
                "The place of this feeder is not public, and its ranges would show it: they are for "
                "its owner and holders of feeders.manage.",
            ),
        )
    return quality(request.db, f"feeder-{feeder.id}", utcnow())


@feeder_coverage.get(
    permission=Permission.FEEDERS_VIEW, path=RowId(), responses={200: schemas.FeederCoverage()}, errors=(404,)
)
def get_feeder_coverage(request: Request) -> dict[str, Any]:
    """Where a feeder receives aircraft, in cells of 0.5 degree

    The same for everybody: the cells are laid around the place as others may know it, and around the middle of its
    cell where they may know nothing of it.
    """
    return coverage(request.db, feeders.get(request.db, row_id(request)), utcnow())
