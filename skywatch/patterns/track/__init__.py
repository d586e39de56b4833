"""The trail of one aircraft as all detectors read it: legs and turns in slots of time.

Not here: trails on the map (`picture/trails`), and stored tracks (`history`).
"""
