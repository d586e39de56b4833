"""The trail of each flight in the sky, kept by the tracker and asked for by others.

Not here: stored tracks (`history/tracks.py`), and trails for pattern detection (`patterns/track`).
"""
