"""Names on the bus within the package, and the events of the feature on the topic ``system``."""

from __future__ import annotations

# The states of all feeders, from the tracker once a second.
STATES = "feeders_state"
# A feeder has connected to a process: others close its older connection.
CLAIMED = "feeders_claimed"
SYSTEM = "system"
UUID_COPIED = "feeder:uuid_copied"
