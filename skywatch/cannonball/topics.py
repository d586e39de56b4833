"""The bus topics within Cannonball."""

from __future__ import annotations

# The list of known aircraft has changed; published after the commit, so that other processes reload it at once.
KNOWN = "cannonball.known"
# The locations of users.
LOCATIONS = "cannonball.locations"
# A user ended a session (data: its id).
COMMANDS = "cannonball.commands"
