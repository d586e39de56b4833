"""The feature declaration of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import AircraftMember, PartLabels, Service, SimulatedRows
from skywatch.core.rule_fields import RuleField
from skywatch.picture.hooks import GivenAircraft, PictureMonitor
from skywatch.routes.settings import RouteSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Set
    from typing import Any

    import colander
    from sqlalchemy.orm import Session

    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.picture.monitor import Monitor
    from skywatch.picture.state.sky import Sky
    from skywatch.security.visibility import Visibility


def _create_monitor(runtime: Runtime) -> Monitor:
    from skywatch.routes.monitor import create

    return create(runtime)


def _create_learner(runtime: Runtime) -> RunningService | None:
    from skywatch.routes.learning import create

    return create(runtime)


def _complete(session: Session, sky: Sky, visibility: Visibility) -> None:
    from skywatch.routes.monitor import complete

    complete(session, sky)


def _route_node() -> colander.SchemaNode:
    from skywatch.routes.schemas import route_node

    return route_node()


def _routes(runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility) -> Mapping[str, Any]:
    from skywatch.routes.service import routes_of_aircraft

    return routes_of_aircraft(runtime, session, addresses, visibility)


FEATURE = Feature(
    name="routes",
    title="routes",
    include="skywatch.routes",
    settings=RouteSettings,
    tags={"routes": "Where flights come from and go to, by their callsigns."},
    commands={"routes": "skywatch.routes.command:routes"},
    provides=(
        PictureMonitor(_create_monitor),
        GivenAircraft(_complete),
        Service(role="worker", create=_create_learner),
        PartLabels({"routes": "Routes of aircraft", "routes_learning": "Routes that are learnt"}),
        AircraftMember(name="route", schema=_route_node, permissions=("aircraft.view",), values=_routes),
        RuleField(
            name="origin",
            kind="text",
            meaning="Airport where its route begins, ICAO or IATA code",
            column="origin",
            also="origin_iata",
        ),
        RuleField(
            name="destination",
            kind="text",
            meaning="Airport where its route ends, ICAO or IATA code",
            column="destination",
            also="destination_iata",
        ),
        SimulatedRows(title="Flown routes", rows="skywatch.routes.models:FlownRoute"),
    ),
)
