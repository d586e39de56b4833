"""Every threshold of the pattern detectors, with its unit and its reason, in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PatternSettings:
    """Thresholds of the flight-pattern detectors; the defaults suit aircraft from helicopters to small jets."""

    # The trail
    sample_min_s: float = 3.9
    """Positions that follow sooner than this (s) add nothing and are skipped; keeps 1 Hz traffic cheap."""
    sparse_s: float = 8.0
    """Positions further apart than this (s) may hide more than half a turn between them."""
    trail_break_s: float = 600.0
    """A silence longer than this (s) ends the trail: what happened meanwhile is anybody's guess."""
    max_speed_kt: float = 900.0
    """No aircraft of interest is faster (kt); a position that would need more is an error."""
    max_turn_rate_deg_s: float = 12.0
    """No sustained turn is quicker (deg/s); four times the standard rate."""
    track_error_deg: float = 30.0
    """A reported track may be off the way flown by this (deg), besides half of what the aircraft may have turned and
    what noise does to the way."""
    usual_turn_rate_deg_s: float = 6.0
    """Turns are rarely quicker (deg/s); twice the standard rate."""
    track_noise_nm: float = 0.03
    """What a position may be off (nm) where the aircraft reports its track as well, which satellites give it."""
    track_doubt: int = 2
    """Reported tracks are not used while errors, each counted twice, exceed agreements by more than this: some sources
    send the track of another moment, or that of another aircraft."""
    track_turning_deg: float = 120.0
    """Where the aircraft may have turned by so much (deg) since the last track, it may have turned the long way round
    from one track to the other."""
    jump_confirmations: int = 4
    """That many impossible positions in a row are believed after all."""
    position_noise_nm: float = 0.06
    """What a position may be off (nm): about 100 m, as multilateration and old transponders are."""
    node_min_nm: float = 0.08
    """The heading is looked at again after this way (nm) where the aircraft reports its track."""
    node_min_untracked_nm: float = 0.2
    """The same (nm) where the heading must come from positions: noise over a shorter chord would drown it."""
    vertex_turn_deg: float = 10.0
    """A bend of this size (deg) makes a vertex."""
    vertex_max_s: float = 30.0
    """Straight flight makes a vertex at least this often (s)."""
    vertex_max_nm: float = 2.0
    """Straight flight makes a vertex at least this often (nm)."""
    plane_reach_nm: float = 300.0
    """The flat map is laid anew beyond this distance (nm); there its scale is wrong by 0.2 %."""
    vertices_max: int = 256
    """Vertices that any detector keeps; what bounds memory and cost."""

    # Loops
    loop_turn_deg: float = 345.0
    """Heading change (deg) that makes a loop; a little less than a circle, as vertices are 10 degrees apart."""
    loop_turn_slack_deg: float = 45.0
    """So much further back (deg of turn) the best beginning of a loop is looked for."""
    reversed_loop_deg: float = 280.0
    """Heading change (deg) that makes a loop where the turn then goes over to the other side..."""
    reversed_closure_share: float = 0.15
    """... and comes back within this share of the loop's length."""
    turning_step_deg: float = 45.0
    """The heading must advance by so much (deg), at half the rate of the last lap, for the turning to go on."""
    lap_usual_s: float = 240.0
    """What a lap takes (s) until a longer one was flown: four minutes are half the standard rate of turn."""
    loop_winding_share: float = 0.6
    """A loop must sweep at least this share of its turn about its own centre."""
    loop_sway: float = 1.5
    """A loop goes round its centre; one that goes to and fro by this factor only wanders."""
    loop_closure_share: float = 0.35
    """A loop may end this share of its length from its start: orbits that follow a moving subject drift."""
    loop_min_speed_kt: float = 35.0
    """Slower loops (kt) are taxiing; hovering is for `stakeout`."""
    loop_min_radius_nm: float = 0.05
    """Smaller loops (nm) are noise."""
    lap_max_s: float = 2400.0
    """A lap that takes longer (s) is a round trip. Tanker tracks of 45 nm take 1500 s."""

    # Circling and racetracks
    circling_turns: float = 1.6
    """Turns that make circling: more than a lap with the turns onto and off it, less than two full circles."""
    racetrack_turns: float = 1.9
    """Turns that make a racetrack: two laps; arrivals often fly one."""
    figure_eight_turns: float = 2.5
    """Turns that make circling where both directions occur: one figure of eight is a manoeuvre, two are a pattern."""
    part_turn_deg: float = 200.0
    """The lap under way counts from this turn on (deg): less than that, a departing turn would count."""
    extend_turn_deg: float = 120.0
    """The last lap of a pattern counts from this turn on (deg): a third of a lap on the same circle."""
    figure_eight_lap_s: float = 75.0
    """Quicker laps (s) to both sides are training or aerobatics; of these only the last ones to one side count."""
    figure_eight_quick_turns: float = 4.0
    """... unless there are so many turns in one place: steep turns are trained in pairs."""
    orbit_min_s: float = 50.0
    """Nothing shorter (s) is reported."""
    training_slowest_kt: float = 85.0
    """Steep turns are trained at the manoeuvring speed of light aircraft, from here (kt); helicopters are slower..."""
    training_fastest_kt: float = 125.0
    """... to here (kt)."""
    training_lap_s: float = 45.0
    """... in this much a lap (s), at 40 degrees of bank and more."""
    training_wide_lap_s: float = 70.0
    """Of laps up to this long (s) two full ones are waited for: turns on a height are trained as well."""
    training_turns_s: float = 135.0
    """Of such laps fewer seconds are not reported: a pair of steep turns takes 80 to 130."""
    laps_time_share: float = 0.6
    """Share of the time since the first lap began that laps must fill: training fits a turn in here and there."""
    orbit_pause_s: float = 180.0
    """Turning may pause this long (s) before the pattern is over; sparse positions hide as much."""
    orbit_pause_laps: float = 0.8
    """... or this many laps, whichever is longer: the legs of a racetrack are pauses."""
    laps_remembered: int = 6
    """Laps from which centre, radius and score are taken; more would smear a moving pattern."""
    lap_size_ratio: float = 1.7
    """Laps of which one takes this much more way do not resemble each other; bank held by eye is good to a third."""
    lap_bend_ratio: float = 1.8
    """... nor do laps of which one turns in this much more way, as a loop before a transit and a small one after it."""
    lap_sparse_share: float = 0.15
    """Where vertices are this share of a lap apart and more, seven to a lap, its size and place are known roughly:"""
    lap_sparse_slack: float = 1.6
    """... limits are this much wider, and what the turns look like is not asked."""
    part_straight_share: float = 0.35
    """An unfinished lap that is straight for more of its time is no second round of..."""
    lap_straight_share: float = 0.2
    """... a lap that was straight for less than this: the aircraft went on its way, and turned again."""
    lap_size_floor_nm: float = 1.0
    """A lap of less way (nm) counts as this long when compared: of small circles wind and noise are a large share."""
    lap_shift_radii: float = 1.2
    """The centre may move this many radii from lap to lap: subjects move, and yet each lap overlies the one before."""
    part_shift_radii: float = 1.8
    """The same of an unfinished lap: the centre of two thirds of a circle lies half a radius aside."""
    part_stray_share: float = 2.0
    """No place of an unfinished lap lies farther from the centre of the lap before than this many times that lap's own
    farthest place: who leaves in a transit goes on to turn elsewhere."""
    eight_shift_radii: float = 2.6
    """The same of laps to either side: the two circles of a figure of eight touch each other."""
    racetrack_leg_share: float = 0.36
    """Share of the way on straight legs from which on laps are a racetrack; 0.39, or 4 / (4 + 2 pi), is an oval
    whose legs are as long as it is wide, and drift and thin data take a little from it."""
    racetrack_sparse_share: float = 0.06
    """So much more of it where laps were seen in few places, which stretch circles."""
    spiral_growth: float = 1.25
    """Three laps that each grow by this factor are an expanding search, not circling..."""
    spiral_growth_first: float = 1.8
    """... and so are two that grow by this one; the first two of an expanding square are as 1 to 3."""
    polygon_leg_share: float = 0.7
    """Laps with this share of straight legs..."""
    polygon_elongation: float = 0.3
    """... that are not elongated..."""
    polygon_radius_nm: float = 1.0
    """... and this large (nm) are polygons, as a sector search flies, not circles."""
    laps_to_change: int = 3
    """Laps of the other kind, one after the other, that end circling for a racetrack or the reverse..."""
    kind_margin: float = 0.04
    """... whose share of legs is off the limit by this much: ovals hardly longer than wide do not change their kind."""
    racetrack_least_share: float = 0.25
    """The share is the mean of two estimates, neither of which may be less than this."""
    racetrack_lap_share: float = 0.3
    """Two laps at least must each have this share."""
    lap_wiggle: float = 1.6
    """Where headings jitter more than this, elongation alone tells the share of legs."""
    lap_spacing_share: float = 0.06
    """... and so where vertices are this share of a lap apart and more: no stretch is seen to be straight then."""
    run_meander: float = 1.8
    """Laps whose way turns to and fro more than this in the median are no laps but wandering."""
    lap_winding_ratio: float = 1.5
    """A lap that winds this much more about its centre than its heading turned has lost turns in gaps."""
    lap_seen_share: float = 0.85
    """The way along the positions must be this share of the reported speed times the time, or the shape of the lap
    is not known: four positions a circle leave 0.9."""
    circling_leg_share: float = 0.3
    """Up to this share the first lap and a half are circling beyond doubt; else a second full lap decides."""
    circling_max_radius_nm: float = 5.0
    """Larger circles (nm) are tours; drones watch from up to 5 nm."""
    racetrack_max_radius_nm: float = 25.0
    """Larger ovals (nm, root mean square) are round trips; tanker tracks have 16."""

    # Ordinary reasons
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

    # The first test, and who is watched closely
    prefilter_step_s: float = 10.0
    """Each aircraft is looked at this often (s)."""
    prefilter_memory_s: float = 180.0
    """The sums forget with this time constant (s): about a lap."""
    prefilter_straightness: float = 0.7
    """Below this ratio of displacement to way an aircraft turned back on itself; a right angle leaves 0.71."""
    prefilter_way_nm: float = 0.5
    """Less way than this (nm) proves nothing."""
    prefilter_slow_kt: float = 60.0
    """Whoever flies more slowly (kt) may be hovering."""
    history_steps: int = 40
    """Steps of the first test kept to begin with once an aircraft is watched closely."""
    watch_s: float = 1800.0
    """An aircraft is watched for this long (s) after it last turned back: legs of a survey take 1000."""

    # Reports
    sparse_score_share: float = 0.8
    """Laps seen in few places or with gaps are this share as sure."""
    unknown_height_score: float = 0.45
    """No pattern of unknown height scores more: it may be a descent or a climb."""
    ordinary_score: float = 0.3
    """No pattern with an ordinary reason scores more."""
    confidence_medium: float = 0.5
    """Scores from here are of medium confidence."""
    confidence_high: float = 0.75
    """Scores from here are of high confidence."""
    extend_every_s: float = 15.0
    """A pattern that lasts is reported again when it grew by this (s)."""

    # Legs
    leg_min_nm: float = 0.6
    """Shorter straight stretches (nm) are no legs."""
    leg_bend_deg: float = 30.0
    """A leg ends where the way turns by more (deg)."""
    leg_width_nm: float = 0.2
    """A leg's positions lie this close to its line (nm)."""
    leg_width_share: float = 0.03
    """... or within this share of its length, whichever is more: long lines are flown by eye and wind."""
    leg_turn_deg: float = 20.0
    """What is off the leg's usual heading by more (deg) belongs to the turns at its ends."""
    leg_vertices: int = 48
    """Vertices kept of a leg under way."""

    # Grid search
    sweep_angle_deg: float = 14.0
    """Legs of one family are parallel within this (deg)."""
    sweep_axis_legs: int = 12
    """So many legs back the longest parallel one is looked for, to take the axis from."""
    sweep_short_share: float = 0.35
    """Legs shorter than this share of the longest are turns between sweeps."""
    sweep_cross_deg: float = 30.0
    """Legs further off the axis than this (deg) lead across the family..."""
    sweep_cross_share: float = 1.0
    """... and end it if they are longer than this share of the longest sweep."""
    sweep_aside_share: float = 3.0
    """So much way, as a share of the longest leg, may be spent between two sweeps."""
    sweep_pause_s: float = 300.0
    """The next sweep begins within this (s) of the end of the last..."""
    sweep_pause_share: float = 1.0
    """... or within this many times its duration, whichever is longer."""
    sweep_width_nm: float = 0.4
    """Two legs in the same direction are one sweep if they lie this close (nm)."""
    sweep_overlap_share: float = 0.4
    """Neighbouring sweeps lie beside each other over this share of the shorter."""
    sweep_shift_share: float = 1.2
    """Neighbouring sweeps lie within this share of the longest."""
    lane_min_nm: float = 0.05
    """Sweeps in one direction that are nearer (nm) lie on the same line; lanes one beside the other are 0.08 apart."""
    lane_wide_nm: float = 0.25
    """Sweeps in one direction this far apart (nm) cannot be the same line flown by hand."""
    grid_sweeps: int = 4
    """Sweeps that make a grid where they are wide apart, even and in order: two might be a there-and-back, three a
    procedure."""
    grid_sweeps_close: int = 6
    """Sweeps that make a grid where they are close, or wide but not in order: four legs over one line lie in order by
    chance once in twelve times, six once in 360."""
    grid_sweeps_round: int = 8
    """Sweeps that make a grid where they are close and all turns go the same way: a drifting racetrack looks alike at
    first."""
    grid_one_sided: float = 0.8
    """Share of the way across that must be to one side; laps over each other have none on the average."""
    grid_even: float = 0.5
    """Lanes are even where none is less than this share of the widest."""
    grid_even_close: float = 0.3
    """The same where lanes are close: what legs over one line stray is not even."""
    shifting_sweeps: int = 3
    """So many sweeps, each beyond the one before, may become a grid and are no road."""
    grid_leg_min_nm: float = 0.8
    """Shorter sweeps (nm) are not looked at."""
    grid_look_growth: float = 1.3
    """The leg under way is looked at again when it grew by this factor."""
    grid_last_share: float = 0.4
    """The sweep under way counts from this share of the usual length."""
    grid_legs_remembered: int = 64
    """Legs kept."""
    grid_pause_s: float = 900.0
    """A grid is over when no sweep was added for this long (s), or for the duration of the longest sweep."""
    grid_min_s: float = 240.0
    """Nothing shorter (s) is a grid."""

    # Keeping to a place
    station_sample_s: float = 15.0
    """Seconds between the samples of a window."""
    station_gap_s: float = 180.0
    """A window with a longer gap (s) shows nothing."""
    window_full_share: float = 0.95
    """A window shows something once it is this full."""
    stay_factor: float = 1.3
    """Limits are this much wider for a pattern that is open, so that it does not flap."""
    stay_pause_s: float = 180.0
    """A pattern is over when it has not held for this long (s)."""
    ground_cell_nm: float = 0.5
    """Side (nm) of the cells by which ground gone over is counted: what an observer sees to each side."""
    station_folds: float = 9.0
    """The way must be this many radii long; a straight line is 3.5 long, a there-and-back 7."""
    station_min_radius_nm: float = 0.1
    """Smaller areas (nm) are hovering."""
    station_min_speed_kt: float = 45.0
    """Slower (kt) is hovering or taxiing."""
    station_max_speed_kt: float = 200.0
    """Who keeps to a place is not faster (kt)."""
    station_level_ft: float = 1200.0
    """... and stays within this height (ft); training and soaring go up and down."""
    loiter_s: float = 1200.0
    """Loitering takes this long (s): longer than a hold or a wait for clearance is expected to."""
    loiter_radius_nm: float = 3.0
    """Root mean square radius (nm) of loitering."""
    search_level_ft: float = 400.0
    """A search keeps within this height (ft): what is looked for has to be seen alike from every leg."""
    search_s: float = 1800.0
    """An area search takes this long (s)."""
    search_min_radius_nm: float = 1.0
    """Root mean square radius (nm) that a search has at least."""
    search_max_radius_nm: float = 6.0
    """Root mean square radius (nm) that a search has at most."""
    ordinary_share: float = 0.33
    """Loitering, a search or a line to and fro has the reason of the orbits or procedure turns that fill this share of
    its time."""
    search_order: float = 0.5
    """Lines of a search run in a few directions, which agree by so much (0 at random, 1 exactly), whether they are at
    right angles, as in an expanding square, or 60 degrees apart, as in a sector search."""
    search_new_share: float = 0.6
    """Share of the samples over new ground that tells a search from loitering."""
    stakeout_s: float = 360.0
    """A stakeout takes this long (s); a landing approach of a helicopter does not."""
    stakeout_radius_nm: float = 0.35
    """Root mean square radius (nm) of a stakeout."""
    stakeout_level_ft: float = 500.0
    """A stakeout keeps within this height (ft); a glider in a thermal does not."""
    stakeout_speed_kt: float = 45.0
    """Mean ground speed (kt) of a stakeout."""
    stakeout_came_kt: float = 55.0
    """The aircraft came flying, at this speed (kt) or more, so it is no car and no parked aircraft."""
    hover_height_ft: float = 200.0
    """It is at least this high (ft) above the lowest level of its trail: else it may stand on the ground."""
    hover_still_share: float = 0.5
    """Not more than this share of the samples shows less than 1 kt: hovering is never quite still for long."""
    hover_wander_ft: float = 75.0
    """Its height wanders this much (ft); on the ground the altimeter shows 50 at most..."""
    hover_drift_kt: float = 8.0
    """... or it drifts at this speed (kt): an aircraft parked on a hill does neither."""

    # To and fro along a line
    reversal_deg: float = 150.0
    """A turn this large (deg)..."""
    reversal_nm: float = 3.0
    """... within this way (nm)..."""
    reversal_s: float = 180.0
    """... and time (s) is a reversal."""
    pass_vertices: int = 96
    """Vertices kept of a pass."""
    pass_look_nm: float = 2.0
    """So far ahead (nm) is looked for where a pass retraces the one before."""
    passes_remembered: int = 8
    """Passes kept."""
    corridor_nm: float = 0.25
    """Passes over the same road lie this close (nm)."""
    retraced_angle_deg: float = 45.0
    """... and go against each other within this (deg)."""
    retraced_share: float = 0.75
    """Share of the shorter pass that must be retraced."""
    corridor_max_speed_kt: float = 150.0
    """Traffic is watched at no more than this speed (kt)."""
    corridor_level_ft: float = 800.0
    """... and within this height (ft)."""
    corridor_clear_nm: float = 0.6
    """So near (nm) to where a line is joined or left, courses belong to the turns."""
    corridor_leave_nm: float = 1.5
    """The pattern is over this far (nm) off the line."""
    highway_nm: float = 4.0
    """Way (nm) that must be retraced for highway tracking."""
    highway_bend_deg: float = 35.0
    """Courses along the line spread this far (deg): roads bend, airways do not."""
    highway_leg_share: float = 0.7
    """A road with bends leaves no leg of more than this share of the pass."""
    highway_straight_passes: int = 3
    """Passes over a line without bends."""
    trap_passes: int = 4
    """Passes over the same stretch that make a speed trap."""
    trap_retraced_share: float = 0.5
    """Share of the shorter pass that must be retraced where passes are short, and turns are half of them."""
    trap_slenderness: float = 3.5
    """The stretch is this many times longer than wide."""
    trap_min_nm: float = 0.6
    """Shortest stretch (nm)."""
    trap_max_nm: float = 4.5
    """Longest pass (nm), the turns at its ends included."""
