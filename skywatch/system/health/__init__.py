"""The checks behind the health of the service, and its history.

Not here: the state of single parts (`core/telemetry/health.py`).
"""
