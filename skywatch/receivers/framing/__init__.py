"""Extracts Mode S frames from the data of receivers: Beast bytes, AVR text, CSV lines and recordings of them.

A framer keeps the unfinished end of its stream, gives the complete frames as a :class:`~.frames.FrameBatch`
and counts what it skipped. What the frames mean is the business of ``mode_s``.
"""
