"""The REST resource of the route of a callsign."""

from __future__ import annotations

from typing import Any

from skywatch.http.resources.service import ApiService
from skywatch.picture.distribution.sky_request import SkyRequest
from skywatch.routes import schemas, service
from skywatch.security.permissions import Permission

of_callsign = ApiService("routes.callsign", "/routes/{callsign}", feature="aircraft", tag="routes")


@of_callsign.get(
    permission=Permission.AIRCRAFT_VIEW, path=schemas.CallsignPath(), responses={200: schemas.CallsignRoutes()}
)
def get_callsign_routes(request: SkyRequest) -> dict[str, Any]:
    """The route of a callsign, and every candidate

    Its aircraft in the sky, if there is one, decides what is shown: a candidate that it contradicts says why
    (`refused`). Aircraft are judged once a minute. `route` is null where nothing is known or everything is
    contradicted.
    """
    callsign = request.validated["path"]["callsign"]
    return service.routes_of_callsign(request.runtime, request.db, request.visibility, callsign)
