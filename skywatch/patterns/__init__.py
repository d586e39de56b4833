"""Flight patterns, recognised in the trail of an aircraft as it comes: pure rules that know no user and no database.

`tracker.PatternTracker` takes the positions of one aircraft, `fleet.PatternFleet` the columns of the whole picture;
both return events with a `findings.Pattern`. `settings.PatternSettings` holds every predicate with its thresholds.
"""
