"""The wider corpus: more kinds of flight, in stronger wind, heard in more ways than those of `drawn.corpus`.

`reception` says how a flight is heard, `searching`, `figures`, `staying`, `soaring`, `training` and `working` hold the
kinds, and `corpus` puts them together. Seeds up to 19 are for development; what is shown in the manual as unseen comes
from seeds that no threshold was set by.
"""
