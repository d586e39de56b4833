"""Receiver discovery: which hosts of the own networks may be asked, and which of them speak a receiver's protocol.

``interfaces`` reads what this machine has, ``networks`` decides without asking anybody, ``probes`` asks. Who may start
a round, and how often, is decided by the console.
"""
