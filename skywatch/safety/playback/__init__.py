"""Safety events of recordings: plays one through a picture of its own, on the recording's clock.

Not here: days of the archive (`safety/batch`).
"""
