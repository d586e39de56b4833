"""All active sessions: opens, updates and ends them at each tick, for all users and aircraft."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from skywatch.cannonball.identification.types import SURVEILLANCE_TYPES
from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracking.alerts import cleared, during, opening, pattern_detected
from skywatch.cannonball.tracking.identifying.interest import Interest, InterestTable
from skywatch.cannonball.tracking.identifying.watch import PatternWatch
from skywatch.cannonball.tracking.locations import TrackedUser
from skywatch.cannonball.tracking.pauses import Occasion, Pauses, longest_pause_s
from skywatch.cannonball.tracking.session import LiveSession, Observation
from skywatch.cannonball.tracking.storing.changes import AlertRaised, SessionChange, alert_raised, session_change
from skywatch.cannonball.tracking.storing.unknowns import Unknowns
from skywatch.cannonball.vocabulary import EndReason, Identification, ThreatLevel
from skywatch.core.geo import EARTH_RADIUS_NM, bearing_deg, distance_nm
from skywatch.picture.state.sky import Sky

Pair = tuple[int, str]
# Largest age of the position on which a session is opened (s).
OPENING_AGE_S = 60.0


class SessionTracker:
    """The sessions of all users, by user and address."""

    def __init__(self, settings: CannonballSettings) -> None:
        self._settings = settings
        self._longest_pause_s = longest_pause_s(settings)
        self.sessions: dict[Pair, LiveSession] = {}
        self.unknowns = Unknowns()
        self._muted: set[Pair] = set()
        self._pauses: dict[Pair, Pauses] = {}

    def restore(self, session: LiveSession) -> None:
        """Continue a session from before the restart; before the first ``update``."""
        pair = (session.user_id, session.address)
        session.pauses = self._pauses.setdefault(pair, Pauses())
        self.sessions[pair] = session

    def mute(self, pairs: Iterable[Pair]) -> None:
        """Open no session for these pairs until the aircraft has left the radius: their users ended the last one."""
        self._muted.update(pairs)

    def remember_pauses(self, pair: Pair, pauses: Pauses) -> None:
        """Restore the pauses after alerts from before the restart; before the first ``update``."""
        self._pauses[pair] = pauses

    def end_by_user(self, ids: Iterable[int], now: float) -> list[SessionChange]:
        """End sessions that their users ended; the aircraft opens no new one until it has left the radius."""
        session_ids = set(ids)
        ended = []
        for pair, session in list(self.sessions.items()):
            if session.id in session_ids:
                self._muted.add(pair)
                session.end(now, EndReason.ENDED_BY_USER)
                ended.append(self._drop(session))
        return ended

    def update(
        self, sky: Sky, users: Mapping[int, TrackedUser], interests: InterestTable, watch: PatternWatch
    ) -> list[SessionChange | AlertRaised]:
        """Update with the sky of a tick; returns the changes to write, in order."""
        changes: list[SessionChange | AlertRaised] = self._end_lost(sky, users)
        opened = self._open(sky, users, interests, watch)
        pairs = [pair for pair in self.sessions if pair[0] in users and pair[1] in sky.index]
        for session, observation in self._observations(sky, pairs, users):
            changes += self._follow(
                session, observation, users[session.user_id], interests, watch, sky, session in opened
            )
        self._forget(sky.now)
        return changes

    def _open(
        self, sky: Sky, users: Mapping[int, TrackedUser], interests: InterestTable, watch: PatternWatch
    ) -> set[LiveSession]:
        opened: set[LiveSession] = set()
        if not users:
            self._muted = {pair for pair in self._muted if self.unknowns.user(pair[0])}
            return opened
        rows = interests.rows(sky) | {sky.index[a] for a in watch.addresses if a in sky.index}
        near = {(user_id, sky.hexes[row]): row for user_id, row in _in_range(sky, sorted(rows), users)}
        self._muted = {pair for pair in self._muted if pair in near or self._is_unknown(pair, sky)}
        for pair, row in near.items():
            if pair in self.sessions or pair in self._muted:
                continue
            interest = interests.interest(sky, row) or Interest(Identification.PATTERN)
            session = LiveSession(*pair, interest, started_at=sky.now)
            session.pauses = self._pauses.setdefault(pair, Pauses())
            self.sessions[pair] = session
            opened.add(session)
        return opened

    def _follow(
        self,
        session: LiveSession,
        observation: Observation,
        user: TrackedUser,
        interests: InterestTable,
        watch: PatternWatch,
        sky: Sky,
        is_new: bool,
    ) -> list[SessionChange | AlertRaised]:
        before = session.level
        stronger = interests.interest(sky, sky.index[session.address])
        if stronger is not None:
            session.interest = stronger
        patterns = watch.surveillance(session.address)
        session.pattern = patterns[0] if patterns else None
        session.observe(observation, user, self._settings)
        if observation.distance_nm > user.location.radius_nm * self._settings.cannonball_leave_factor:
            return self._end(session, EndReason.LEFT_AREA, user, sky.now)
        occasions: list[Occasion] = []
        if is_new:
            occasions.append(opening(session))
        for active in patterns:
            if active.key not in session.pattern_keys:
                session.pattern_keys.add(active.key)
                if not any(o.pattern_key == active.key for o in occasions):
                    occasions.append(pattern_detected(session, active))
        occasions += during(session, session.level if is_new else before, self._settings)
        alerts = self._allowed(session, occasions, user, sky.now)
        return [session_change("started" if is_new else "updated", session), *alerts]

    def _allowed(
        self, session: LiveSession, occasions: list[Occasion], user: TrackedUser, now: float
    ) -> list[AlertRaised]:
        alerts = []
        for occasion in occasions:
            if session.pauses.allow(occasion, now, self._settings):
                session.alert_count += 1
                alerts.append(alert_raised(session, occasion, user, now))
        return alerts

    def _end_lost(self, sky: Sky, users: Mapping[int, TrackedUser]) -> list[SessionChange | AlertRaised]:
        """End sessions without a location of their user, or whose aircraft has not been seen for long."""
        changes: list[SessionChange | AlertRaised] = []
        for (user_id, address), session in list(self.sessions.items()):
            user = users.get(user_id)
            if user is None:
                if not self.unknowns.user(user_id):
                    changes += self._end(session, EndReason.LOCATION_GONE, None, sky.now)
                continue
            if self.unknowns.position(address, sky):
                continue
            row = sky.index.get(address)
            seen_at = session.last_seen if row is None else max(session.last_seen, sky.column("position_at")[row])
            if session.last_seen and sky.now - seen_at > self._settings.cannonball_unseen_s:
                changes += self._end(session, EndReason.UNSEEN, user, sky.now)
        return changes

    def _is_unknown(self, pair: Pair, sky: Sky) -> bool:
        user_id, address = pair
        return self.unknowns.user(user_id) or self.unknowns.position(address, sky)

    def _end(
        self, session: LiveSession, reason: EndReason, user: TrackedUser | None, now: float
    ) -> list[SessionChange | AlertRaised]:
        session.end(now, reason)
        alerts: list[AlertRaised] = []
        if user is not None and session.level is not ThreatLevel.INFO:
            alerts = self._allowed(session, [cleared(session)], user, now)
        return [*alerts, self._drop(session)]

    def _drop(self, session: LiveSession) -> SessionChange:
        del self.sessions[session.user_id, session.address]
        return session_change("ended", session)

    def _observations(
        self, sky: Sky, pairs: list[Pair], users: Mapping[int, TrackedUser]
    ) -> list[tuple[LiveSession, Observation]]:
        rows = np.fromiter((sky.index[address] for _, address in pairs), dtype=np.intp, count=len(pairs))
        locations = [users[user_id].location for user_id, _ in pairs]
        lat, lon = sky.column("lat")[rows], sky.column("lon")[rows]
        user_lat, user_lon = (
            np.array([location.lat for location in locations]),
            np.array([location.lon for location in locations]),
        )
        distances = distance_nm(user_lat, user_lon, lat, lon).tolist()
        bearings = bearing_deg(user_lat, user_lon, lat, lon).tolist()
        columns = {name: sky.column(name)[rows].tolist() for name in _OBSERVED}
        observations = []
        for n, pair in enumerate(pairs):
            if distances[n] != distances[n]:
                continue  # Received without a position: the last one is used until it is too old.
            altitude = columns["alt_baro_ft"][n]
            altitude = columns["alt_geom_ft"][n] if altitude != altitude else altitude
            speed, track = columns["gs_kt"][n], columns["track_deg"][n]
            observation = Observation(
                at=sky.now,
                position_at=columns["position_at"][n],
                lat=columns["lat"][n],
                lon=columns["lon"][n],
                altitude_ft=round(altitude) if altitude == altitude else None,
                speed_kt=speed if speed == speed else None,
                track_deg=track if track == track else None,
                on_ground=columns["on_ground"][n],
                callsign=columns["flight"][n].decode("ascii", "replace").strip(),
                military=columns["military"][n],
                surveillance_type=columns["type"][n].decode("ascii", "replace") in SURVEILLANCE_TYPES,
                distance_nm=distances[n],
                bearing_deg=bearings[n],
                first_seen=columns["first_seen"][n],
            )
            observations.append((self.sessions[pair], observation))
        return observations

    def _forget(self, now: float) -> None:
        if len(self._pauses) > 2 * len(self.sessions) + 1000 or not self.sessions:
            running = self.sessions.keys()
            self._pauses = {
                pair: pauses
                for pair, pauses in self._pauses.items()
                if pair in running or now - pauses.latest < self._longest_pause_s
            }


_OBSERVED = (
    "position_at", "lat", "lon", "alt_baro_ft", "alt_geom_ft", "gs_kt", "track_deg", "on_ground", "flight",
    "military", "type", "first_seen",
)  # fmt: skip


def _in_range(sky: Sky, rows: list[int], users: Mapping[int, TrackedUser]) -> list[tuple[int, int]]:
    """(user id, row) of every aircraft among ``rows`` that has a fresh position within a user's radius."""
    at = np.array(rows, dtype=np.intp)
    fresh = sky.now - sky.column("position_at")[at] <= OPENING_AGE_S
    at = at[fresh & ~np.isnan(sky.column("lat")[at])]
    if not len(at):
        return []
    ids = list(users)
    locations = [users[user_id].location for user_id in ids]
    here = _unit_vectors(
        np.array([location.lat for location in locations]), np.array([location.lon for location in locations])
    )
    there = _unit_vectors(sky.column("lat")[at], sky.column("lon")[at])
    # The cosine of the central angle falls with distance: one matrix product finds all pairs in range.
    limits = np.cos(np.array([location.radius_nm for location in locations]) / EARTH_RADIUS_NM)
    near = here @ there.T >= limits[:, None]
    return [(ids[user], int(at[n])) for user, n in zip(*np.nonzero(near), strict=True)]


def _unit_vectors(lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    phi, lam = np.radians(lat), np.radians(lon)
    return np.column_stack((np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)))
