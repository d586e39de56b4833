"""Thresholds of ordinary reasons for a pattern: spirals, practised holds, thermals, parachute dropping, circuits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OrdinarySettings:
    """Part of ``PatternSettings``."""

    surveillance_max_speed_kt: float = 250.0
    """Faster laps (kt) are flown by tankers, fighters and airliners."""
    low_point_height_ft: float = 350.0
    """Ups and downs smaller than this (ft) are no low points; circuits rise 600 to 1500."""
    low_points_remembered: int = 8
    """Low points kept."""
    circuit_max_s: float = 1200.0
    """A circuit takes less than this (s)."""
    circuit_place_nm: float = 1.0
    """Low points of a circuit lie this close (nm): a runway's length."""
    circuit_heading_deg: float = 60.0
    """Low points of a circuit are passed in the same direction (deg): the runway's."""
    circuit_level_share: float = 0.5
    """Low points of a circuit agree within this share of its height; reception ends above the runway."""
    circuit_lowest_ft: float = 600.0
    """Low points of a circuit are at most this (ft) above the lowest level of the trail."""
    circuit_laps_share: float = 0.5
    """Share of the laps that must come down to the low point: some are not seen so far down."""
    landing_s: float = 150.0
    """Going nowhere, low, for this long (s) is a landing: what was flown before belongs to another flight."""
    landing_speed_kt: float = 35.0
    """Going nowhere (kt)."""
    trend_ft_min: float = 200.0
    """A lap that climbs or descends by more (ft/min) follows a trend: who watches keeps the height, or changes it
    between laps."""
    trend_least_ft: float = 300.0
    """What all laps gain or lose at least (ft)."""
    steady_ft_min: float = 100.0
    """A lap that climbs or descends by more (ft/min) follows a slow trend..."""
    steady_least_ft: float = 1500.0
    """... that takes the pattern this far (ft) up or down in all..."""
    steady_share: float = 0.8
    """... in this share of the turns."""
    trend_share: float = 0.6
    """Share of the turns that must follow the trend."""
    steep_ft_min: float = 600.0
    """A lap whose lowest and highest level are apart by more (ft, for each minute of it)..."""
    steep_least_ft: float = 1000.0
    """... and by more than this (ft) is no watching, up or down or both..."""
    steep_most_ft: float = 2500.0
    """... and none where they are this far apart (ft), however long the lap takes."""
    parachute_climb_ft: float = 3000.0
    """Who climbs by so much (ft) in circles lifts parachutists, who leave at 10,000 to 14,000 ft above the ground."""
    thermal_radius_nm: float = 0.25
    """Circles in thermals are not wider (nm); typically 0.06 to 0.15."""
    thermal_speed_kt: float = 80.0
    """Gliders circle more slowly (kt)."""
    thermal_lap_s: float = 80.0
    """Circles in thermals take less (s); typically 20 to 40, more in weak lift and heard seldom."""
    thermal_climb_ft_min: float = 60.0
    """Thermals lift at least this much on the average of all circles (ft/min)."""
    practice_min_rate_deg_s: float = 2.1
    """Practised holds turn at the standard rate of 3 deg/s; so little (deg/s) is flown in wind and by eye..."""
    practice_max_rate_deg_s: float = 4.0
    """... and so much (deg/s)."""
    practice_min_leg_s: float = 30.0
    """Their legs are timed to a minute; so little (s) against the wind..."""
    practice_max_leg_s: float = 90.0
    """... and so much (s) with it."""
    practice_turns: float = 7.0
    """Who practises leaves after a few laps; more turns are no practice."""
    practice_max_speed_kt: float = 180.0
    """... flown no faster (kt): holds are trained in light aircraft, singles and twins."""
    practice_max_altitude_ft: float = 12000.0
    """... and no higher (ft): above it such aircraft need oxygen."""
    holding_min_speed_kt: float = 140.0
    """Aircraft that hold are faster (kt)."""
    holding_min_altitude_ft: float = 3000.0
    """Aircraft hold at least this high (ft)."""
    holding_lap_min_s: float = 180.0
    """Laps of a hold take at least this long (s)."""
    holding_lap_max_s: float = 480.0
    """Laps of a hold take at most this long (s)."""
    procedure_aside_min_deg: float = 25.0
    """A procedure turn leaves the outbound course by 45 degrees; by so little (deg) as flown by hand and in wind..."""
    procedure_aside_max_deg: float = 65.0
    """... and by so much (deg)."""
    procedure_error_deg: float = 25.0
    """Its turns, and the course back, are good to this (deg)."""
    procedure_line_nm: float = 0.6
    """It comes back to the line on which it went out, within this (nm)."""
    procedure_max_s: float = 240.0
    """From the turn aside to the way back it takes at most this (s): a minute before and after half a circle."""
