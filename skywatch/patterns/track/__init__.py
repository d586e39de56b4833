"""The trail of one aircraft as all detectors read it."""
