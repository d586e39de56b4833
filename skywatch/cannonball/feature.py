"""The declaration of the feature cannonball."""

from __future__ import annotations

from skywatch.cannonball.settings import CannonballSettings
from skywatch.core.declarations import AddressList
from skywatch.core.feature import EventKind, Feature, NotificationKind

VIEW, MANAGE, MILITARY = "cannonball.view", "cannonball.manage", "aircraft.view_military"

FEATURE = Feature(
    name="cannonball",
    parts={
        "cannonball_writer": "Storage of Cannonball",
        "cannonball_list": "List of known aircraft",
        "cannonball_locations": "Positions of Cannonball users",
        "cannonball_detections": "Detections of known aircraft",
    },
    settings=CannonballSettings,
    include="skywatch.cannonball",
    monitor="skywatch.cannonball.monitor:create",
    events=(
        EventKind(
            name="cannonball:alert",
            topic="alerts",
            needs=(VIEW,),
            oversight=MANAGE,
            may_need=(MILITARY,),
            written="skywatch.cannonball.sessions.notifications:written",
        ),
        EventKind(name="cannonball:session", topic="alerts", needs=(VIEW,), oversight=MANAGE, may_need=(MILITARY,)),
    ),
    notifications=(
        NotificationKind(
            name="cannonball", permission=VIEW, delivered="skywatch.cannonball.sessions.notifications:delivered"
        ),
    ),
    address_lists=(
        AddressList(
            name="police",
            revision="skywatch.cannonball.known.revision:current_revision",
            addresses="skywatch.cannonball.known.addresses:police_addresses",
        ),
    ),
    retention="skywatch.cannonball.retention:KINDS",
    commands={"known-aircraft": "skywatch.cannonball.command:known_aircraft"},
    tags={
        "cannonball": "Law-enforcement aircraft near the caller: location, sessions, alerts and known aircraft.",
    },
)
