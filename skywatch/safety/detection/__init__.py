"""The rules of the safety events: each detector receives one ``Frame`` a tick and returns its findings.

A detector keeps its state between ticks by row; nothing here uses a database, a user or a socket.

Not here: the life of an event from its findings, which is `safety/events`.
"""
