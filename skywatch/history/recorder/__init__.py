"""Turns ticks into flights and thinned tracks, and writes them from a thread of its own.

Not here: the form of stored points (`history/storage`).
"""
