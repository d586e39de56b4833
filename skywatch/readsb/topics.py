"""The bus topic within this package."""

from __future__ import annotations

# The figures of stats.json (a snapshot): the tracker makes them, every API process shows them.
STATISTICS = "readsb:statistics"
EVENT = "statistics"
