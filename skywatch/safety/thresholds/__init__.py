"""The thresholds of detectors: declared, and those that an administrator changed.

Not here: thresholds of flight patterns (`patterns/thresholds`).
"""
