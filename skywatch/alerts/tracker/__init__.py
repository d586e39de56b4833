"""Alerts beside the tracker: loads rules, collects events for them, writes what the engine decided, limits how much.

Not here: the tests (`alerts/engine`).
"""
