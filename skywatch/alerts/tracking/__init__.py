"""The part of alerts that runs in the tracker: reads rules, tests them on each tick, and writes what they announce."""
