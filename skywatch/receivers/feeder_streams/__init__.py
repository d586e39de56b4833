"""Receivers that connect to us: from the frames of thousands of feeders to one report an aircraft and second.

Knows neither database nor user. ``connection`` is what one feeder sends, ``hub`` who is connected to this process.
``frames`` decodes what all feeders of a process sent as one batch, ``reports`` keeps the newest value of each field for
a second and drops what others say already. ``reduction`` is what leaves once a second, ``reception`` what a tracker
has received of all feeders.
"""
