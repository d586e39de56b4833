"""Turns ticks into flights and thinned tracks, and writes them from a thread of its own."""
