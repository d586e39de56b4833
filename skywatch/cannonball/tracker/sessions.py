"""All active sessions: opens, updates and ends them at each tick, for all users and aircraft."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from skywatch.cannonball.settings import CannonballSettings
from skywatch.cannonball.tracker.alerts import OVERHEAD_REARM, cleared, during, in_doubt, opening, pattern_detected
from skywatch.cannonball.tracker.geometry import arrival_s
from skywatch.cannonball.tracker.interests.interest import Interest, InterestTable
from skywatch.cannonball.tracker.interests.watch import PatternWatch
from skywatch.cannonball.tracker.locations import TrackedUser
from skywatch.cannonball.tracker.observation import Numbers, ObservedAircraft, observe
from skywatch.cannonball.tracker.pauses import Occasion, Pauses, longest_pause_s
from skywatch.cannonball.tracker.session import LiveSession, Pair
from skywatch.cannonball.tracker.storage.changes import (
    AlertRaised,
    SessionChange,
    SessionUpdate,
    alert_raised,
    session_change,
)
from skywatch.cannonball.vocabulary import AlertType, EndReason, Identification, ThreatLevel
from skywatch.core.geo import EARTH_RADIUS_NM
from skywatch.picture.state.sky import Sky

Change = SessionChange | SessionUpdate | AlertRaised
# Largest age of the position on which a session is opened (s).
OPENING_AGE_S = 60.0


class Unknowns:
    """What is unknown after a start: locations that were lost with a process, and aircraft not received again."""

    def __init__(self) -> None:
        self._awaited: dict[int, float] = {}

    def await_location(self, user_id: int, until: float) -> None:
        """The location of a user is unknown until they report or end it, or until this time (unix s)."""
        self._awaited[user_id] = until

    def update(self, updated: set[int], now: float) -> None:
        """Update with the users who reported or ended their location."""
        if self._awaited:
            self._awaited = {
                user: until for user, until in self._awaited.items() if user not in updated and until > now
            }

    def user(self, user_id: int) -> bool:
        """Whether the location of a user is unknown."""
        return user_id in self._awaited

    def position(self, address: str, sky: Sky) -> bool:
        """Whether it is unknown where an aircraft is, or whether it is there at all."""
        if sky.is_complete:
            return False
        row = sky.index.get(address)
        return row is None or bool(np.isnan(sky.column("lat")[row]))


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
    ) -> list[Change]:
        """Update with the sky of a tick; returns the changes to write, in order."""
        changes: list[Change] = [*self._end_lost(sky, users)]
        opened = self._open(sky, users, interests, watch)
        index = sky.index
        present = [session for pair, session in self.sessions.items() if pair[0] in users and pair[1] in index]
        views = ObservedAircraft.of(sky, present, users)
        self._take_reasons(sky, views, interests, watch)
        numbers = observe(views, sky, self._settings)
        noteworthy = self._noteworthy(views, numbers, opened, watch)
        for place, session in enumerate(views.sessions):
            if noteworthy[place]:
                before = session.level if session in opened else numbers.before[place]
                changes += self._follow(session, views.users[place], watch, sky, before, session in opened)
            else:
                changes.append(SessionUpdate(session, numbers, place))
        self._forget(sky.now)
        return changes

    def _open(
        self, sky: Sky, users: Mapping[int, TrackedUser], interests: InterestTable, watch: PatternWatch
    ) -> set[LiveSession]:
        opened: set[LiveSession] = set()
        if not users:
            self._muted = {pair for pair in self._muted if self.unknowns.user(pair[0])}
            return opened
        rows = interests.rows(sky) | {sky.index[a] for a in watch.active if a in sky.index}
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

    def _take_reasons(self, sky: Sky, views: ObservedAircraft, interests: InterestTable, watch: PatternWatch) -> None:
        """Give each session the reasons why its aircraft is of interest now."""
        for session, stronger in zip(views.sessions, interests.interests(sky, views.rows), strict=True):
            if stronger is not None:
                session.interest = stronger
        active = watch.active
        for session in views.sessions:
            if session.pattern is not None or session.address in active:
                patterns = watch.surveillance(session.address)
                session.pattern = patterns[0] if patterns else None

    def _noteworthy(
        self, views: ObservedAircraft, numbers: Numbers, opened: set[LiveSession], watch: PatternWatch
    ) -> list[bool]:
        """Whether anything but numbers may change with a session: it opens or ends, or an alert may be due."""
        settings, sessions, distance = self._settings, views.sessions, views.distance_nm
        ranks = np.array([(now.rank, was.rank) for now, was in zip(numbers.level, numbers.before, strict=True)])
        now, was = ranks.reshape(-1, 2).T
        on_ground = np.array([session.on_ground for session in sessions], np.bool_)
        is_overhead = ~on_ground & (distance <= settings.cannonball_overhead_nm)
        for place in np.flatnonzero(distance > OVERHEAD_REARM * settings.cannonball_overhead_nm).tolist():
            sessions[place].arm_overhead(True)
        noteworthy: list[bool] = ((now > was) | ((now == 0) & (was > 0))).tolist()
        for place in np.flatnonzero(is_overhead).tolist():
            noteworthy[place] |= sessions[place].may_be_overhead
        for place in np.flatnonzero(distance > views.radius_nm * settings.cannonball_leave_factor).tolist():
            noteworthy[place] |= self._may_end(sessions[place], views.now)
        closing_kt = np.array(numbers.closing_kt, np.float64)
        arrival = arrival_s(distance, closing_kt)
        fast = ~is_overhead & ~on_ground & (closing_kt >= settings.cannonball_closing_fast_kt)
        for place in np.flatnonzero(fast & (arrival <= settings.cannonball_warning_arrival_s)).tolist():
            session = sessions[place]
            pauses, doubt = session.pauses, bool(session.doubt)
            if session.has_trend and pauses.is_over(AlertType.CLOSING_FAST, "", views.now, settings, doubt):
                noteworthy[place] = True
        active = watch.active
        if opened or active:
            for place, session in enumerate(sessions):
                if session in opened or session.address in active:
                    noteworthy[place] = True
        return noteworthy

    def _follow(
        self,
        session: LiveSession,
        user: TrackedUser,
        watch: PatternWatch,
        sky: Sky,
        before: ThreatLevel,
        is_new: bool,
    ) -> list[Change]:
        """The changes of a session that was observed; its level was ``before``."""
        is_beyond = session.distance_nm > user.location.radius_nm * self._settings.cannonball_leave_factor
        if is_beyond and self._may_end(session, sky.now):
            return self._end(session, EndReason.LEFT_AREA, user, sky.now)
        occasions: list[Occasion] = []
        if is_new:
            occasions.append(opening(session))
        for active in watch.surveillance(session.address):
            if active.key not in session.pattern_keys:
                session.pattern_keys.add(active.key)
                if not any(o.pattern_key == active.key for o in occasions):
                    occasions.append(pattern_detected(session, active))
        occasions += during(session, before, self._settings)
        alerts = self._allowed(session, occasions, user, sky.now)
        return [session_change("started" if is_new else "updated", session), *alerts]

    def _may_end(self, session: LiveSession, now: float) -> bool:
        """Whether a session ends where its aircraft is far: not by a place in doubt soon after a sure one."""
        return not session.doubt or now - session.sure_at > self._settings.cannonball_unseen_s

    def _allowed(
        self, session: LiveSession, occasions: list[Occasion], user: TrackedUser, now: float
    ) -> list[AlertRaised]:
        alerts = []
        for each in occasions:
            occasion = in_doubt(each, session.doubt) if session.doubt else each
            if session.pauses.allow(occasion, now, self._settings):
                session.alert_count += 1
                alerts.append(alert_raised(session, occasion, user, now))
        return alerts

    def _end_lost(self, sky: Sky, users: Mapping[int, TrackedUser]) -> list[Change]:
        """End sessions without a location of their user, or whose aircraft has not been seen for long."""
        sessions, index = list(self.sessions.values()), sky.index
        rows = np.array([index.get(session.address, -1) for session in sessions], np.intp)
        last_seen = np.array([session.last_seen for session in sessions], np.float64)
        position_at = np.append(sky.column("position_at"), np.nan)[rows]
        is_lost = (last_seen != 0) & (sky.now - np.fmax(last_seen, position_at) > self._settings.cannonball_unseen_s)
        changes: list[Change] = []
        for session, lost in zip(sessions, is_lost.tolist(), strict=True):
            user = users.get(session.user_id)
            if user is None:
                if not self.unknowns.user(session.user_id):
                    changes += self._end(session, EndReason.LOCATION_GONE, None, sky.now)
            elif lost and not self.unknowns.position(session.address, sky):
                changes += self._end(session, EndReason.UNSEEN, user, sky.now)
        return changes

    def _is_unknown(self, pair: Pair, sky: Sky) -> bool:
        user_id, address = pair
        return self.unknowns.user(user_id) or self.unknowns.position(address, sky)

    def _end(self, session: LiveSession, reason: EndReason, user: TrackedUser | None, now: float) -> list[Change]:
        session.end(now, reason)
        alerts: list[AlertRaised] = []
        if user is not None and session.level is not ThreatLevel.INFO:
            alerts = self._allowed(session, [cleared(session)], user, now)
        return [*alerts, self._drop(session)]

    def _drop(self, session: LiveSession) -> SessionChange:
        del self.sessions[session.user_id, session.address]
        return session_change("ended", session)

    def _forget(self, now: float) -> None:
        if len(self._pauses) > 2 * len(self.sessions) + 1000 or not self.sessions:
            running = self.sessions.keys()
            self._pauses = {
                pair: pauses
                for pair, pauses in self._pauses.items()
                if pair in running or now - pauses.latest < self._longest_pause_s
            }


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
    # The cosine of the central angle falls with distance: one product of all with all finds the pairs in range. Not as
    # a matrix product: BLAS would divide so small a one among threads, which wait for one another.
    limits = np.cos(np.array([location.radius_nm for location in locations]) / EARTH_RADIUS_NM)
    cosines = sum(mine[:, None] * theirs for mine, theirs in zip(here.T, there.T, strict=True))
    near = cosines >= limits[:, None]
    return [(ids[user], int(at[n])) for user, n in zip(*np.nonzero(near), strict=True)]


def _unit_vectors(lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    phi, lam = np.radians(lat), np.radians(lon)
    return np.column_stack((np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)))
