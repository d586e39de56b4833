"""From the frames of thousands of feeders to one report an aircraft and second.

``gathering`` decodes what all feeders of a process sent as one batch, ``reducing`` keeps the newest value of each field
for a second and drops what others say already. ``reduction`` is what leaves once a second, ``reception`` what a tracker
knows of all feeders.
"""
