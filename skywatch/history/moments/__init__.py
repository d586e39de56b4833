"""The whole sky at a moment of the past, and a span of it again.

Not here: the live picture (`picture`).
"""
