"""Rows in every table: thousands of each kind, most of them the administrator's own, and as many as a user may have."""

from __future__ import annotations

import hashlib
import io
import random
import zlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import sqlalchemy as sa

from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.past import record_past
from benchmarks._endpoint_costs.rows import insert, moments
from benchmarks._endpoint_costs.shapes import RULE, listed, ring, whole_list
from benchmarks._known import fill_known
from skywatch.acars.models import AcarsMessage
from skywatch.accounts.models import ApiKey, Role, User, UserRole
from skywatch.airframes.models import AirframeImport, AirframeRecord
from skywatch.alerts.access import MAX_GEOFENCES, MAX_RULES, MAX_WATCHLISTS
from skywatch.alerts.models import Alert, AlertRule, AlertSubscription, Geofence, Watchlist
from skywatch.audio.models import Recording, Transmission
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry, StoredEvent
from skywatch.notify.channels.service import MAX_CHANNELS
from skywatch.notify.models import BrowserSubscription, Channel, Delivery
from skywatch.notify.push.browsers import MAX_BROWSERS
from skywatch.notify.senders.signatures import new_secret
from skywatch.overflights.editions import Document, Question, StoredFlight
from skywatch.overflights.models import Edition, Report
from skywatch.overflights.reports import MOST_REPORTS
from skywatch.safety.models import SafetyEvent, SafetyPlace, SafetyRegion
from skywatch.sso.models import ClaimMapping
from skywatch.system.models import HealthChange

WORDS = [
    "weather",
    "request",
    "deviation",
    "fuel",
    "gate",
    "oooi",
    "position",
    "estimate",
    "runway",
    "clearance",
    "connect",
    "contact",
    "snow",
    "wind",
]
# An event of thousands has its own minute, and ends an hour later.
EVERY = timedelta(seconds=4)


def populate(installation: Installation, folder: Path) -> None:
    """Fill all tables."""
    _people(installation)
    _alerts(installation)
    _notifications(installation)
    _received(installation, folder)
    _cannonball(installation)
    record_past(installation)
    with installation.runtime.engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")


def _people(installation: Installation) -> None:
    sessions, rows = installation.runtime.sessions, installation.sizes.rows
    others = rows // 10
    insert(
        sessions,
        User,
        others,
        id=lambda n: 1000 + n,
        username=_name,
        username_key=_name,
        email=_mail,
        email_key=_mail,
        display_name=_name,
    )
    with sessions() as session:
        viewer = session.scalar(sa.select(Role.id).where(Role.name == "viewer"))
    insert(sessions, UserRole, others, user_id=lambda n: 1000 + n, role_id=viewer)
    insert(
        sessions,
        Role,
        max(60, others // 2),
        name=lambda n: f"role_{n}",
        display_name=lambda n: f"Role {n}",
        permissions=["aircraft.view", "history.view"],
    )
    # The administrator's own: as many as a user may have, of which some are still free to make.
    insert(
        sessions,
        ApiKey,
        30,
        user_id=installation.user_id,
        key_prefix="sk_0",
        scopes=["aircraft"],
        key_hash=lambda n: hashlib.sha256(str(n).encode()).hexdigest(),
    )
    insert(
        sessions,
        ClaimMapping,
        others,
        name=lambda n: f"mapping {n}",
        match_type="exact",
        role_id=viewer,
        claim_name="groups",
        claim_value=lambda n: f"group {n}",
    )
    insert(
        sessions,
        AuditEntry,
        rows,
        action=lambda n: ("login.succeeded", "user.changed")[n % 2],
        actor_id=installation.user_id,
        actor_name="bench",
        method="jwt",
        address="10.0.0.7",
        target_type="user",
        target_id=lambda n: str(n % 50),
        target_name="bench",
        after={"roles": ["viewer"]},
    )


def _name(number: int) -> str:
    return f"user{number}"


def _mail(number: int) -> str:
    return f"user{number}@example.org"


def give_to_all(installation: Installation) -> int:
    """A new role that all users have; its id."""
    name = f"frequent_{installation.number()}"
    with writing(installation.runtime.sessions) as session:
        role = Role(name=name, display_name=name, permissions=["aircraft.view"])
        session.add(role)
        session.flush()
        role_id = role.id
    insert(
        installation.runtime.sessions,
        UserRole,
        installation.sizes.rows // 10,
        user_id=lambda n: 1000 + n,
        role_id=role_id,
    )
    return role_id


def _reports(installation: Installation, dated: dict[str, Any]) -> None:
    """Reports of the administrator, as many as a user may have but one, and the largest editions there may be."""
    sessions, user_id = installation.runtime.sessions, installation.user_id
    with sessions() as session:
        fence = session.scalar(sa.select(sa.func.min(Geofence.id)).where(Geofence.user_id == user_id))
    report = {"user_id": user_id, "geofence_id": fence, "below_ft": 3_000, "over": "sea", "every": "day"}
    insert(sessions, Report, MOST_REPORTS - 2, channels=lambda n: [], done_until=dated["created_at"], **report, **dated)
    with sessions() as session:
        first = session.scalar(sa.select(sa.func.min(Report.id)))
    at = dated["created_at"]
    flight = StoredFlight(1, "4B1620", "SWR1", "HB-JJA", "A320", at, at, 2_000.0, 1.0, False, False)
    area = {"type": "Polygon", "coordinates": [[[8, 47], [9, 47], [9, 48], [8, 47]]]}
    document = Document(Question(1, "Village", area, 3_000.0, "sea", None, False), [flight] * 5_000)
    body = zlib.compress(msgspec.json.encode(document))
    days = {"begin_at": lambda n: at - timedelta(days=n + 1), "end_at": lambda n: at - timedelta(days=n)}
    insert(sessions, Edition, 400, report_id=first, made_at=at, count=5_000, night=0, document=body, **days)


def _alerts(installation: Installation) -> None:
    sessions, rows, user_id = installation.runtime.sessions, installation.sizes.rows, installation.user_id
    now = utcnow()

    def owner(most: int) -> Any:
        # The first ones are the administrator's, the rest other users', a few each.
        return lambda n: user_id if n < min(most - MORE, rows // 20) else 1000 + n % (rows // 10)

    dated = {"created_at": now, "updated_at": now}
    # As much as a user may have altogether, of which little is left for what requests make.
    insert(sessions, Geofence, 8, user_id=user_id, name="Large", geometry=lambda n: ring(10_000, n), **dated)
    insert(
        sessions,
        Watchlist,
        3,
        user_id=user_id,
        name="Large",
        entries=lambda n: "\n".join(whole_list(n)),
        entry_count=100_000,
        **dated,
    )
    rule = {**RULE, "quiet_hours": [], "visibility": "shared", "for_s": 2.0, "cooldown_s": 300, **dated}
    insert(sessions, AlertRule, 4, user_id=user_id, name="Large", **{**rule, "conditions": listed(70)})
    insert(
        sessions,
        Geofence,
        rows // 10,
        user_id=owner(MAX_GEOFENCES),
        name=lambda n: f"Fence {n}",
        geometry=lambda n: ring(60, n),
        **dated,
    )
    _reports(installation, dated)
    insert(
        sessions,
        Watchlist,
        rows // 10,
        user_id=owner(MAX_WATCHLISTS),
        name=lambda n: f"List {n}",
        entries=lambda n: "\n".join(f"{(n * 200 + k) % 0xFFFFFF:06X}" for k in range(200)),
        entry_count=200,
        **dated,
    )
    insert(sessions, AlertRule, rows // 10, user_id=owner(MAX_RULES), name=lambda n: f"Rule {n}", **rule)
    with sessions() as session:
        others = session.scalars(sa.select(AlertRule.id).where(AlertRule.user_id != user_id)).all()
    insert(sessions, AlertSubscription, len(others), rule_id=lambda n: others[n], user_id=user_id, created_at=now)
    aircraft = {"hex": "4b1620", "flight": "SWR22", "lat": 47.1, "lon": 8.5, "alt_baro": 3000, "gs": 210.5}
    matched = [{"field": "alt_baro", "op": "lt", "value": 4000, "actual": 3000}]
    insert(
        sessions,
        Alert,
        rows,
        user_id=user_id,
        rule_id=None,
        rule_name=lambda n: f"Rule {n % 100}",
        priority="info",
        icao_hex=lambda n: f"{n % 5000:06X}",
        callsign="SWR22",
        message=lambda n: f"SWR22 low {n}",
        aircraft=aircraft,
        matched=matched,
        triggered_at=moments(EVERY),
    )


# Free places among what a user may have, for requests that make one.
MORE = 20


def _notifications(installation: Installation) -> None:
    sessions, rows, user_id = installation.runtime.sessions, installation.sizes.rows, installation.user_id
    insert(
        sessions,
        Channel,
        MAX_CHANNELS // 2,
        user_id=user_id,
        name=lambda n: f"Channel {n}",
        kind="webhook",
        address="https://192.0.2.1/hook",
        secret=new_secret(),
    )
    insert(
        sessions,
        BrowserSubscription,
        MAX_BROWSERS // 2,
        user_id=user_id,
        name="Browser",
        endpoint=lambda n: f"https://push.example.org/{n}",
        public_key="key",
        auth_secret=new_secret(),
        endpoint_hash=lambda n: hashlib.sha256(str(n).encode()).hexdigest(),
    )
    with sessions() as session:
        channels = session.scalars(sa.select(Channel.id)).all()
    now = utcnow()
    insert(
        sessions,
        Delivery,
        rows,
        message_id=lambda n: f"message-{n}",
        user_id=user_id,
        kind="alert",
        channel_id=lambda n: channels[n % len(channels)],
        event="alert.triggered",
        priority="info",
        title="Low",
        text="SWR22 is low",
        body={"data": {"id": 1}},
        at=moments(EVERY),
        created_at=moments(EVERY),
        expires_at=now,
        state="dead",
        subject_id=lambda n: n + 1,
    )


def _received(installation: Installation, folder: Path) -> None:
    sessions, rows = installation.runtime.sessions, installation.sizes.rows
    chance = random.Random(1)
    texts = [" ".join(chance.choices(WORDS, k=25)).upper() for _ in range(500)]
    insert(
        sessions,
        AcarsMessage,
        rows,
        at=moments(EVERY),
        received_at=moments(EVERY),
        source="vdl2",
        label=lambda n: ("H1", "B6", "80", "SA")[n % 4],
        text=lambda n: texts[n % 500],
        incomplete=False,
        repeats=1,
        search_text=lambda n: texts[n % 500].lower(),
        icao_hex=lambda n: f"{0x4B0000 + n % 500:06X}",
        registration=lambda n: f"HB-{n % 500}",
        flight="LX22",
        callsign="SWR22",
        kind="position",
        heard_by=[{"station": "roof", "level_db": -12.0, "frequency_mhz": 136.975}],
        station="roof",
        decoded={"title": "Position report", "items": [{"name": "fuel", "value": 12.5}] * 10},
        raw={"app": {"name": "dumpvdl2"}, "freq": 136975000, "text": "x" * 500},
    )
    path = folder / "audio" / "bench.mp3"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(recording(1))
    noise = np.random.default_rng(1).bytes(200)
    insert(
        sessions,
        Recording,
        rows,
        sha256=lambda n: f"{n:064x}",
        path="bench.mp3",
        media_type="audio/mpeg",
        bytes=path.stat().st_size,
        duration_s=5.0,
        peak_db=-6.0,
        waveform=noise,
        is_truncated=False,
    )
    spoken = [{"start_s": 0.0, "end_s": 5.0, "text": "swiss two two contact ground"}]
    insert(
        sessions,
        Transmission,
        rows,
        at=moments(EVERY),
        channel=lambda n: f"Channel {n % (rows // 10)}",
        sha256=lambda n: f"{n:064x}",
        duration_s=5.0,
        bytes=8000,
        source="upload",
        status="done",
        transcript=lambda n: f"swiss two two contact ground {n}",
        segments=spoken,
        flags=["truncated"],
        icao_hex=lambda n: f"{n % 500:06X}",
        callsign="SWR22",
    )
    insert(
        sessions,
        SafetyEvent,
        rows,
        type="proximity",
        severity="warning",
        key=lambda n: f"pair {n}",
        icao_hex=lambda n: f"{n % 500:06X}",
        icao_hex_2=lambda n: f"{n % 700:06X}",
        hexes=["4B1620", "4B1621"],
        callsigns=["SWR22", "SWR23"],
        message="SWR22 and SWR23 are 0.4 nm and 200 ft apart",
        began_at=moments(EVERY),
        last_at=moments(EVERY),
        suppressed_by=[],
        held_back=False,
        acknowledged=False,
        lat=47.0,
        lon=8.0,
        active_key=lambda n: f"proximity:pair {n}" if n % 10 == 0 else None,
        ended_at=lambda n: None if n % 10 == 0 else utcnow(),
        numbers={"distance_nm": 0.4, "vertical_ft": 200, "closing_kt": 300},
    )
    add_places(installation)
    now = utcnow()
    insert(
        sessions,
        SafetyRegion,
        rows // 10,
        region=lambda n: f"region {n % 20}",
        cell_deg=0.5,
        from_at=moments(EVERY),
        until_at=now,
        cells=[f"{y}:{x}" for y in range(10) for x in range(20)],
        bad=30,
        good=20,
    )
    insert(sessions, HealthChange, rows)
    insert(sessions, StoredEvent, rows, topic="alerts", event="alert:triggered", message=b"x" * 500)
    insert(
        sessions,
        AirframeRecord,
        installation.sizes.known,
        icao_hex=lambda n: f"{0x4B0000 + n:06X}",
        source="tar1090",
        registration=lambda n: f"HB-{n % 17_576:04X}",
        type_code="A320",
        type_name="AIRBUS A-320",
        operator="Swiss",
        owner="Swiss",
        year=2011,
        flags=0,
    )
    insert(sessions, AirframeImport, 1, source="tar1090")


def add_places(installation: Installation) -> None:
    """What was learnt by place, in place of what there is of it."""
    with writing(installation.runtime.sessions) as session:
        session.execute(sa.delete(SafetyPlace))
    insert(
        installation.runtime.sessions,
        SafetyPlace,
        installation.sizes.rows,
        y=lambda n: n // 200,
        x=lambda n: n % 200,
        runway_visits=3,
        levels={str(level): 5 for level in range(30)},
        runway_lat=47.0,
        runway_lon=8.0,
    )


def _cannonball(installation: Installation) -> None:
    sessions, rows, user_id = installation.runtime.sessions, installation.sizes.rows, installation.user_id
    fill_known(sessions, [f"{0x4B0000 + number:06X}" for number in range(installation.sizes.known)])
    insert(
        sessions,
        CannonballSession,
        rows,
        user_id=user_id,
        icao_hex=lambda n: f"{n % 500:06X}",
        identification="known",
        threat_level="info",
        peak_threat_level="warning",
        started_at=moments(EVERY),
        is_active=lambda n: n % 10 == 0,
        agency_name="Sheriff of county 12",
    )
    insert(
        sessions,
        FlightPattern,
        rows,
        key=lambda n: f"pattern {n}",
        icao_hex=lambda n: f"{n % 500:06X}",
        pattern_type="circling",
        confidence="high",
        started_at=moments(EVERY),
        is_surveillance=True,
        details={"turns": 3, "points": [[47.0, 8.0]] * 20},
    )
    with writing(sessions) as session:
        first_session = session.scalar(sa.select(sa.func.min(CannonballSession.id))) or 1
        first_pattern = session.scalar(sa.select(sa.func.min(FlightPattern.id))) or 1
    insert(
        sessions, SessionPattern, rows, session_id=lambda n: first_session + n, pattern_id=lambda n: first_pattern + n
    )
    insert(
        sessions,
        CannonballAlert,
        rows,
        user_id=user_id,
        session_id=lambda n: first_session + n,
        session_icao=lambda n: f"{n % 500:06X}",
        alert_type="overhead",
        priority="warning",
        title="Sheriff of county 12 is overhead",
        created_at=moments(EVERY),
    )


def recording(number: int, seconds: float = 5.0, rate: int = 8000) -> bytes:
    """A transmission of five seconds of noise, each another one."""
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(number).normal(0, 0.1, int(seconds * rate)), rate, format="MP3")
    return file.getvalue()
