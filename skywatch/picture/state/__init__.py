"""The state of the sky at one tick: columns, encoded aircraft, and the difference from the tick before."""
