"""The thresholds of each kind of pattern and of the ordinary reasons; `patterns.settings` puts them together."""
