"""Runs the roles of a process: start, one event loop with its services, signals, the end."""
