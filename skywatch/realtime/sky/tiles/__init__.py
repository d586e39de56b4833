"""The tiles form of the picture, for crowds: frames of fixed squares that all who read a square share."""
