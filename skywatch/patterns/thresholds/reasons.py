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
    """A circuit takes less than this (s); practised approaches have laps of 8 to 14 minutes."""
    circuit_place_nm: float = 1.0
    """Low points of a circuit lie this close (nm): a runway's length."""
    circuit_heading_deg: float = 60.0
    """Low points of a circuit are passed in the same direction (deg): the runway's."""
    circuit_level_share: float = 0.5
    """Low points of a circuit agree within this share of its height; reception ends above the runway."""
    circuit_lowest_ft: float = 600.0
    """Low points of a circuit are at most this (ft) above the lowest level of the trail."""
    circuit_deep_ft: float = 1000.0
    """... or both are reached from this much higher (ft), as on approaches, wherever the flight began."""
    circuit_deep_s: float = 300.0
    """... in laps that take this long (s): who drops water comes down as far in less..."""
    circuit_high_ft: float = 5000.0
    """... though not from higher than this (ft): a height that leaps is no approach."""
    circuit_highest_ft: float = 13000.0
    """There are hardly any runways higher than this (ft)."""
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
    """Thermals lift at least this much on the average of all circles (ft/min)..."""
    thermal_tight_nm: float = 0.105
    """... or just about hold the glider up, in circles not wider than this (nm)..."""
    thermal_tight_kt: float = 65.0
    """... no faster than this (kt)..."""
    thermal_bank_deg: float = 14.0
    """... and steeper than this (deg), by their speed and their time: who watches from so slow a helicopter keeps
    farther away and banks less."""
    thermal_weak_kt: float = 63.0
    """Circles of a glider by the speed that it sends: no faster than this (kt)..."""
    thermal_weak_bank_deg: float = 20.5
    """... steeper than this (deg)..."""
    thermal_weak_nm: float = 0.15
    """... not wider than this (nm)..."""
    thermal_weak_range_ft: float = 50.0
    """... and up and down by this much (ft) at least; where the flight circled in thermals before..."""
    thermal_again_bank_deg: float = 12.0
    """... it need not be steeper than this (deg)..."""
    thermal_again_turns: float = 3.0
    """... once it has flown so many such turns in one pattern."""
    practice_min_rate_deg_s: float = 2.1
    """Practised holds turn at the standard rate of 3 deg/s; so little (deg/s) is flown in wind and by eye..."""
    practice_max_rate_deg_s: float = 4.0
    """... and so much (deg/s)."""
    practice_leg_share: float = 0.32
    """Wind bends a practised hold until its legs are only this share of the way..."""
    practice_windy_share: float = 0.24
    """... or this share..."""
    practice_windy_kt: float = 130.0
    """... where it is flown no faster than this (kt): the wind is a larger part of it..."""
    practice_min_leg_s: float = 24.0
    """... and its legs, which are timed to a minute, seem this short (s)..."""
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
    holding_leg_share: float = 0.3
    """In wind the legs of a hold may be only this share of the way, so that it is called circling..."""
    holding_turns: float = 6.5
    """... then it is a hold with at most so many turns..."""
    holding_rate_share: float = 0.7
    """... that are as quick as this share of the standard rate, or of a turn with 25 degrees of bank."""
    holding_lap_max_s: float = 540.0
    """Laps of a hold take at most this long (s)."""
    air_misfit_share: float = 0.15
    """Laps whose velocities lie farther than this share of the airspeed from a circle about the wind are heard too
    badly to be seen in the air."""
    air_whole_turns: float = 0.9
    """A lap of fewer turns is not finished."""
    air_rate_share: float = 0.78
    """A hold turns at 3 degrees a second, or with 25 degrees of bank where that is less: in the air by this share..."""
    air_rate_ratio: float = 1.22
    """... up to this many times as quickly..."""
    air_straight_share: float = 0.2
    """... and is straight for this share of its time and more, as circles are only where the wind bends them..."""
    air_leg_share: float = 0.13
    """... which over the ground have legs of less than this share of the way."""
    air_wind_share: float = 0.15
    """A hold looks round in wind of this share of the airspeed and more."""
    air_leg_min_s: float = 36.0
    """One leg of a hold is timed, to 60 s and more; so short (s) as it is flown and seen..."""
    air_leg_max_s: float = 90.0
    """... and so long (s)..."""
    air_timed_share: float = 0.5
    """... on this share of the laps..."""
    air_slack_s: float = 20.0
    """... and the other leg differs from it by no more than the wind makes it, and this (s)."""
    soaring_kt: float = 65.0
    """Gliders that fly to and fro along a slope are slower (kt)..."""
    soaring_range_ft: float = 125.0
    """... and go up and down by this much (ft): traffic is watched from one height, and faster."""
    soaring_loiter_ft: float = 300.0
    """Who loiters as slowly and goes up and down by this much (ft) soars as well."""
    low_pass_ft: float = 75.0
    """Who sprays goes up by this (ft) and more between two passes..."""
    low_pass_mean_ft: float = 105.0
    """... by so much (ft) on the average: a height sent in hundreds of feet flickers by one hundred..."""
    low_pass_level_ft: float = 75.0
    """... and comes down to the lowest level of the flight, within this (ft)..."""
    low_pass_every_s: float = 150.0
    """... at least this often (s): heard seldom, some passes are not seen..."""
    low_passes: int = 4
    """... and as often as this."""
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
