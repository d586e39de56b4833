"""The streams of feeders: from the connections of thousands of feeders to one report an aircraft and second.

Knows neither database nor user. ``connection`` is what one feeder sends, ``hub`` who is connected to this process.
``shared_decoder`` decodes what all feeders of a process sent as one batch, ``reducer`` keeps the newest value of each
field for a second and drops what others say already. ``reduction`` is what leaves once a second, ``installation`` what
a tracker has received of the feeders of all processes.

Not here: the records of feeders and their admission (`feeders`), and receivers that we connect to
(`receivers/kinds`).
"""
