"""The thresholds of detectors: declared, and those that an administrator changed."""
