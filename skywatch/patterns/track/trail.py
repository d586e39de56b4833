"""The trail of one aircraft, cleaned and thinned: what every pattern detector reads.

Raw positions come at any rate, repeat, jump and stop; out of them comes a short list of vertices on a flat map, each
with the heading *unwound* (a turn of two circles is 720 degrees, not 0), so that the first and the
last heading alone show a turn. Detectors keep what they need; the trail itself remembers one node and one vertex.
"""

from __future__ import annotations

from math import atan2, degrees, hypot, radians, sqrt
from typing import NamedTuple

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import LocalPlane, wrap_deg


class Vertex(NamedTuple):
    """One bend of the trail."""

    t: float
    """Unix time in seconds."""
    x: float
    """Nautical miles east on the trail's plane."""
    y: float
    """Nautical miles north on the trail's plane."""
    alt_ft: float | None
    """Altitude, None where unknown."""
    speed_kt: float
    """Ground speed as reported, else from the way flown."""
    turn_deg: float
    """Unwound heading: clockwise positive, and continuous for as long as the trail is."""
    path_nm: float
    """Way flown since the trail began."""


_Heard = tuple[float, float, float, float | None, float | None, float | None, float, float]
"""A position as it was heard: unix s, nm east and north, ft, kt, degrees true, and its latitude and longitude."""

_LESSER = 0.363
"""Mean of the lesser of two squares of standard normal variables: 1 - 2 / pi."""


class PositionNoise:
    """Measures how far positions are off, and draws those that are far off between their neighbours.

    Of three positions in a row the middle one lies off the chord of the others across it in a turn, along it where its
    time is wrong, and both where it is noisy: the lesser of the two is what noise shows.
    """

    __slots__ = ("_before", "_last", "_limits", "_loud", "_span_s", "_untracked_nm", "_variance", "is_loud")

    def __init__(self, settings: PatternSettings) -> None:
        self._limits = settings.position_noise
        self._span_s = settings.position_noise.span_s
        self._loud = settings.trusted_position.noise_nm**2
        self._untracked_nm = settings.trail_vertex.untracked_node_nm
        self.clear()

    def clear(self) -> None:
        """Forget the positions."""
        self._before: _Heard | None = None
        self._last: _Heard | None = None
        self._variance = 0.0
        self.is_loud = False
        """Whether positions are farther off than the detectors allow for."""

    @property
    def sigma_nm(self) -> float:
        """How far positions are off in each direction, one sigma."""
        return sqrt(self._variance)

    @property
    def chord_nm(self) -> float:
        """Way that tells a heading in spite of the noise."""
        chord_nm = min(self._limits.chord_ratio * self.sigma_nm, self._limits.max_chord_nm)
        return max(chord_nm, self._untracked_nm)

    def add(self, heard: _Heard) -> _Heard:
        """Take the next position; return it, or where positions are noisy the one before, drawn to its neighbours."""
        a, b = self._before, self._last
        self._before, self._last = b, heard
        if a is None or b is None:
            return heard
        t0, x0, y0 = a[0], a[1], a[2]
        t1, x1, y1 = b[0], b[1], b[2]
        span_s = heard[0] - t0
        dx, dy = heard[1] - x0, heard[2] - y0
        squared = dx * dx + dy * dy
        if span_s > self._span_s or squared <= 0.0:
            return b if self.is_loud else heard
        share = (t1 - t0) / span_s
        off_x, off_y = x1 - x0 - share * dx, y1 - y0 - share * dy
        along, across = off_x * dx + off_y * dy, off_x * dy - off_y * dx
        limits = self._limits
        seen = min(along * along, across * across) / (squared * _LESSER * (1.0 + share * share + (1.0 - share) ** 2))
        variance = self._variance
        variance += limits.weight * (min(seen, limits.jump_share * variance + 1e-4) - variance)
        self._variance = variance
        self.is_loud = variance > (limits.quiet_share**2 * self._loud if self.is_loud else self._loud)
        if not self.is_loud:
            return heard
        # The more a turn of usual rate may be the reason, the less noise is.
        turn_nm = radians(limits.turn_rate_deg_s) * sqrt(squared) * share * (1.0 - share) * span_s / 2.0
        pull = 0.75 * variance / (1.5 * variance + turn_nm * turn_nm)
        return (t1, x1 - pull * off_x, y1 - pull * off_y, *b[3:])


class Trail:
    """Cleans positions, projects them and passes on a vertex wherever the aircraft turned or went on for a while.

    A position that is not newer than the last one, comes too soon after it, or cannot have been reached is dropped;
    after a long silence, or when a jump turns out to be true, the trail starts over on another `plane`.
    """

    __slots__ = ("_doubt", "_heading", "_misses", "_reported", "_s", "_tracked", "_vertex", "_x", "_y",
                 "last_t", "node_t", "noise", "path_nm", "plane", "turn_deg", "vertex_t", "x", "y")  # fmt: skip

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self.noise = PositionNoise(settings)
        """How far positions are off."""
        self.plane: LocalPlane | None = None
        """The map on which the trail lies."""
        self.last_t = float("-inf")
        """Time of the last accepted position."""
        self.x = self.y = 0.0
        """Last accepted position on the plane, nm."""
        self.turn_deg = 0.0
        """Unwound heading at the last node."""
        self.path_nm = 0.0
        """Way flown since the trail began."""
        self._misses = 0

    def _begin(self, t: float, lat: float, lon: float, alt_ft: float | None, speed_kt: float | None,
               track_deg: float | None) -> Vertex:  # fmt: skip
        self.plane = LocalPlane(lat, lon)
        self.last_t = self.node_t = self.vertex_t = t
        self.x = self.y = self._x = self._y = 0.0
        self.noise.clear()
        self.noise.add((t, 0.0, 0.0, alt_ft, speed_kt, track_deg, lat, lon))
        self._heading = self._reported = track_deg
        self._tracked = track_deg is not None
        self.turn_deg = self.path_nm = 0.0
        self._misses = self._doubt = 0
        self._vertex = Vertex(t, 0.0, 0.0, alt_ft, speed_kt or 0.0, 0.0, 0.0)
        return self._vertex

    def forget(self) -> None:
        """Begin a new trail with the next position."""
        self.plane = None

    def add(self, t: float, lat: float, lon: float, alt_ft: float | None = None, speed_kt: float | None = None,
            track_deg: float | None = None) -> Vertex | None:  # fmt: skip
        """Take one position (unix s, degrees, ft, kt, degrees true); return the vertex that it makes, if any."""
        s = self._s
        dt = t - self.last_t
        if dt < s.trusted_position.min_s:
            # A clock that was far ahead must not deafen us to the right time.
            if dt < -s.trusted_position.break_s:
                self._misses += 1
                if self._misses >= s.trusted_position.confirmations:
                    self.last_t = float("-inf")
            return None
        if not (-90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0):
            return None
        plane = self.plane
        if plane is None or dt > s.trusted_position.break_s:
            return self._begin(t, lat, lon, alt_ft, speed_kt, track_deg)
        x, y = plane.project(lat, lon)
        if (
            hypot(x - self.x, y - self.y)
            > s.trusted_position.max_speed_kt * dt / 3600.0 + s.trusted_position.noise_nm * 5.0
        ):
            self._misses += 1
            if self._misses < s.trusted_position.confirmations:
                return None
            return self._begin(t, lat, lon, alt_ft, speed_kt, track_deg)
        self._misses = 0
        self.last_t, self.x, self.y = t, x, y
        noise, untracked_nm = self.noise, s.trail_vertex.untracked_node_nm
        heard = noise.add((t, x, y, alt_ft, speed_kt, track_deg, lat, lon))
        if noise.is_loud:
            t, x, y, alt_ft, speed_kt, track_deg, lat, lon = heard
            untracked_nm = noise.chord_nm
        if t <= self.node_t:
            return None

        dx, dy = x - self._x, y - self._y
        step = hypot(dx, dy)
        if step < (s.trail_vertex.node_nm if track_deg is not None else untracked_nm):
            return None
        elapsed = t - self.node_t
        chord = degrees(atan2(dx, dy))
        if self.path_nm == 0.0 and self._heading is not None:
            # The first track of all could not be checked before.
            self._heading = self._heading if self._is_believable(self._heading, chord, elapsed, step) else None
        reported = track_deg
        if track_deg is not None:
            track_deg = reported = track_deg + plane.convergence_deg(lat, lon)
            agrees = self._is_believable(track_deg, chord, elapsed, step)
            if self._doubt > s.trusted_track.max_doubt or not agrees:
                if step < untracked_nm:
                    return None
                track_deg = None
            # Who errs often is wrong where it cannot be seen, too: one error weighs as much as two agreements.
            if elapsed * s.trusted_track.usual_rate_deg_s < s.trusted_track.turning_deg:
                self._doubt = max(self._doubt - 1, 0) if agrees else min(self._doubt + 2, 3 * s.trusted_track.max_doubt)
        self._reported = reported
        self.turn_deg += self._rotation(chord, track_deg, elapsed, step)
        self.path_nm += step
        self._heading = chord if track_deg is None else track_deg
        self._tracked = track_deg is not None
        self.node_t, self._x, self._y = t, x, y

        last = self._vertex
        if (
            abs(self.turn_deg - last.turn_deg) < s.trail_vertex.turn_deg
            and t - last.t < s.trail_vertex.max_s
            and self.path_nm - last.path_nm < s.trail_vertex.max_nm
        ):
            return None
        speed = speed_kt if speed_kt is not None else step * 3600.0 / elapsed
        self._vertex = Vertex(t, x, y, alt_ft, speed, self.turn_deg, self.path_nm)
        return self._vertex

    def _is_believable(self, track: float, chord: float, elapsed: float, step: float) -> bool:
        """Return whether a reported track agrees with the way flown: some sources interpolate it, repeat it or err.

        On an arc the chord points halfway between the tracks at its ends, or the other way after more than half a
        circle.
        """
        s = self._s
        error = s.trusted_track.error_deg + degrees(2.0 * s.trusted_track.noise_nm / step)
        turning = s.trusted_track.usual_rate_deg_s * elapsed
        if abs(wrap_deg(track - chord)) > error + 0.5 * turning:
            return False
        if self._reported is None:
            return True
        halfway = self._reported + 0.5 * wrap_deg(track - self._reported)
        off = abs(wrap_deg(halfway - chord))
        return off <= error or (turning >= s.trusted_track.turning_deg and off >= 180.0 - error)

    def _rotation(self, chord: float, track: float | None, elapsed: float, step: float) -> float:
        """Return by how much the heading turned since the last node, in degrees, clockwise positive.

        On a circular arc the chord points halfway between the tracks at its ends, so that two tracks and the chord
        between them tell turns of up to a full circle apart, where two tracks alone know them up to half of one.
        """
        before = self._heading
        if before is None:
            return 0.0
        direct = wrap_deg((chord if track is None else track) - before)
        sparse = elapsed >= self._s.trusted_track.sparse_s and step >= self._s.trail_vertex.untracked_node_nm
        if track is None or not self._tracked or not sparse:
            return direct
        halves = wrap_deg(chord - before) + wrap_deg(track - chord)
        return halves if abs(halves) <= self._s.trusted_track.max_rate_deg_s * elapsed else direct
