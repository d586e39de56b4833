"""Flight patterns, recognised in the trail of an aircraft as it comes: pure rules that know no user and no database.

`PatternTracker` takes the positions of one aircraft, `PatternFleet` the columns of the whole picture; both return
events with a `Pattern`. `PatternSettings` holds every threshold.
"""

from skywatch.cannonball.patterns.findings import Change, Confidence, Pattern, PatternEvent, PatternType
from skywatch.cannonball.patterns.fleet import PatternFleet
from skywatch.cannonball.patterns.settings import PatternSettings
from skywatch.cannonball.patterns.tracker import PatternTracker

__all__ = [
    "Change",
    "Confidence",
    "Pattern",
    "PatternEvent",
    "PatternFleet",
    "PatternSettings",
    "PatternTracker",
    "PatternType",
]
