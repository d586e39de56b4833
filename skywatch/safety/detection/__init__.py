"""The rules of the safety events: each detector takes a ``Frame`` a tick and returns what it finds in it.

A detector keeps what it must remember from tick to tick by row; nothing here knows a database, a user or a socket.
"""
