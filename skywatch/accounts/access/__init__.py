"""The access settings of features."""
