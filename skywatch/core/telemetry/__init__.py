"""What a process tells of itself: health of its parts, metrics, log lines.

Not here: the health of the installation as the API shows it (`system/health`).
"""
