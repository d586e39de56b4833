"""Drawn flights with labels: the corpus of `corpus.draw`, from a seed.

`pen` draws a flight in the wind, `dubins` finds the turns between two lines, `watching`, `ordinary` and `airwork` hold
the kinds of flight, and `corpus` puts them together as tracks of the same form as recorded ones.
"""
