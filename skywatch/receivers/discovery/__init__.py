"""Receiver discovery: which hosts of the own networks may be asked, and which of them speak a receiver's protocol.

``networks`` decides without asking anybody, ``probes`` asks. Who may start
a round, and how often, is decided by the console.
"""
