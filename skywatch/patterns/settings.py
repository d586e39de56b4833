"""Every threshold of the pattern detectors, by the predicate that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field

from skywatch.patterns.thresholds import lines, loops, reasons, searches, station, track


@dataclass(frozen=True)
class PatternSettings:
    """Predicates of the flight-pattern detectors; their defaults suit aircraft from helicopters to small jets."""

    trusted_position: track.TrustedPosition = field(default_factory=track.TrustedPosition)
    trusted_track: track.TrustedTrack = field(default_factory=track.TrustedTrack)
    trail_vertex: track.TrailVertex = field(default_factory=track.TrailVertex)
    first_test: track.FirstTest = field(default_factory=track.FirstTest)
    certainty: track.Certainty = field(default_factory=track.Certainty)

    closed_loop: loops.ClosedLoop = field(default_factory=loops.ClosedLoop)
    reversed_loop: loops.ReversedLoop = field(default_factory=loops.ReversedLoop)
    ongoing_turn: loops.OngoingTurn = field(default_factory=loops.OngoingTurn)
    lead_turn: loops.LeadTurn = field(default_factory=loops.LeadTurn)
    unfinished_lap: loops.UnfinishedLap = field(default_factory=loops.UnfinishedLap)
    alike_laps: loops.AlikeLaps = field(default_factory=loops.AlikeLaps)
    alike_eights: loops.AlikeEights = field(default_factory=loops.AlikeEights)
    sparse_lap: loops.SparseLap = field(default_factory=loops.SparseLap)
    well_seen_lap: loops.WellSeenLap = field(default_factory=loops.WellSeenLap)
    smooth_lap: loops.SmoothLap = field(default_factory=loops.SmoothLap)
    lap_run_limits: loops.LapRunLimits = field(default_factory=loops.LapRunLimits)
    enough_laps: loops.EnoughLaps = field(default_factory=loops.EnoughLaps)
    circle: loops.Circle = field(default_factory=loops.Circle)
    oval: loops.Oval = field(default_factory=loops.Oval)
    change_of_kind: loops.ChangeOfKind = field(default_factory=loops.ChangeOfKind)
    growing_laps: loops.GrowingLaps = field(default_factory=loops.GrowingLaps)
    polygon: loops.Polygon = field(default_factory=loops.Polygon)
    chance_turns: loops.ChanceTurns = field(default_factory=loops.ChanceTurns)
    turns_elsewhere: loops.TurnsElsewhere = field(default_factory=loops.TurnsElsewhere)
    quick_eights: loops.QuickEights = field(default_factory=loops.QuickEights)
    steep_turn_training: loops.SteepTurnTraining = field(default_factory=loops.SteepTurnTraining)

    station_window: station.StationWindow = field(default_factory=station.StationWindow)
    station_keeping: station.StationKeeping = field(default_factory=station.StationKeeping)
    loitering: station.Loitering = field(default_factory=station.Loitering)
    window_search: station.WindowSearch = field(default_factory=station.WindowSearch)
    stakeout: station.Stakeout = field(default_factory=station.Stakeout)
    came_flying: station.CameFlying = field(default_factory=station.CameFlying)
    off_the_ground: station.OffTheGround = field(default_factory=station.OffTheGround)

    straight_leg: lines.StraightLeg = field(default_factory=lines.StraightLeg)
    sweep_family: lines.SweepFamily = field(default_factory=lines.SweepFamily)
    new_lines: lines.NewLines = field(default_factory=lines.NewLines)
    grid: lines.Grid = field(default_factory=lines.Grid)
    look_at_sweeps: lines.LookAtSweeps = field(default_factory=lines.LookAtSweeps)
    one_field: lines.OneField = field(default_factory=lines.OneField)
    reversal: lines.Reversal = field(default_factory=lines.Reversal)
    retraced_pass: lines.RetracedPass = field(default_factory=lines.RetracedPass)
    traffic_watch: lines.TrafficWatch = field(default_factory=lines.TrafficWatch)
    highway: lines.Highway = field(default_factory=lines.Highway)
    speed_trap: lines.SpeedTrap = field(default_factory=lines.SpeedTrap)

    search_limits: searches.SearchLimits = field(default_factory=searches.SearchLimits)
    growing_rounds: searches.GrowingRounds = field(default_factory=searches.GrowingRounds)
    expanding_square: searches.ExpandingSquare = field(default_factory=searches.ExpandingSquare)
    closed_lobe: searches.ClosedLobe = field(default_factory=searches.ClosedLobe)
    alike_lobes: searches.AlikeLobes = field(default_factory=searches.AlikeLobes)
    figure_of_eight: searches.FigureOfEight = field(default_factory=searches.FigureOfEight)
    sector_search: searches.SectorSearch = field(default_factory=searches.SectorSearch)

    fast_laps: reasons.FastLaps = field(default_factory=reasons.FastLaps)
    low_point_depth: reasons.LowPointDepth = field(default_factory=reasons.LowPointDepth)
    circuit: reasons.Circuit = field(default_factory=reasons.Circuit)
    approaches: reasons.Approaches = field(default_factory=reasons.Approaches)
    landing: reasons.Landing = field(default_factory=reasons.Landing)
    trend: reasons.Trend = field(default_factory=reasons.Trend)
    slow_trend: reasons.SlowTrend = field(default_factory=reasons.SlowTrend)
    steep_lap: reasons.SteepLap = field(default_factory=reasons.SteepLap)
    parachute_lift: reasons.ParachuteLift = field(default_factory=reasons.ParachuteLift)
    thermal: reasons.Thermal = field(default_factory=reasons.Thermal)
    tight_circles: reasons.TightCircles = field(default_factory=reasons.TightCircles)
    weak_lift: reasons.WeakLift = field(default_factory=reasons.WeakLift)
    practice_hold: reasons.PracticeHold = field(default_factory=reasons.PracticeHold)
    hold: reasons.Hold = field(default_factory=reasons.Hold)
    hold_in_wind: reasons.HoldInWind = field(default_factory=reasons.HoldInWind)
    hold_in_air: reasons.HoldInAir = field(default_factory=reasons.HoldInAir)
    slope_soaring: reasons.SlopeSoaring = field(default_factory=reasons.SlopeSoaring)
    low_passes: reasons.LowPasses = field(default_factory=reasons.LowPasses)
    procedure_turn: reasons.ProcedureTurn = field(default_factory=reasons.ProcedureTurn)
