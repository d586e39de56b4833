"""Decodes the frames of all feeders at once: finds the same transmission, who heard it, and its lane.

Not here: decoding one frame (`receivers/mode_s`), and cutting one stream into frames (`receivers/framing`).
"""
