"""What other programs take from here over TCP: the frames received (Beast, raw) and the picture (SBS, JSON lines).

``forms`` turns frames and aircraft into bytes, ``feeder`` sends them to readers: one that does not keep up is closed,
nobody waits for it. An output is run, shown and counted like an input.
"""
