"""The bus topics of alerts."""

from __future__ import annotations

# Events for users, on the real-time channel.
ALERTS = "alerts"
# Rules, geofences, watch lists or subscriptions have changed; the tracker reloads them at once.
CHANGED = "alerts.changed"
# The enabled rules that are not in force (data: JSON by rule id, ``rules.faults``); its last message is kept.
FAULTS = "alerts.rule_faults"
