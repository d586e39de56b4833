"""The bus topics on which the parts of the system communicate; topics of the real-time channel are declared
by features, and what only one room uses is named there.
"""

from __future__ import annotations

# Every tick of the picture (events ``tick``, a snapshot, and ``changes``), and the wish for a whole one.
PICTURE, PICTURE_WANTED = "picture", "picture:wanted"
# Identities or access settings have changed: what callers may do must be looked up again.
IDENTITIES = "accounts"
# How the tracker is doing, and the states of its receivers and inputs (snapshots).
TRACKER, RECEIVERS, INPUTS = "tracker", "receivers", "inputs"
# How much there is of each kind of data (a snapshot).
RETENTION = "retention"
# What the feeders of an ingest process sent in a second.
FEEDER_REPORTS = "feeders:reports"
# The addresses that the tracker has heard within the hour, by whom ever (a snapshot for ingest processes).
HEARD_ADDRESSES = "feeders:heard-addresses"
# Trails: the object itself (only within a process), questions, and the prefix of the topic of one asker's answers.
TRAILS, TRAIL_QUESTIONS, TRAIL_ANSWERS = "trails", "trails:questions", "trails:answers:"
