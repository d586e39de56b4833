"""The part of alerts that runs in the tracker: reads rules, tests them at each tick, and writes their alerts."""
