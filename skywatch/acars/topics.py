"""The topics of the bus that ACARS messages are published on."""

from __future__ import annotations

# Events for users, on the real-time channel.
TOPIC = "acars"
# A message was received; alert rules are tested on it.
RECEIVED = "acars.received"
