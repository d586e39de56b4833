"""HTTP long polling of Engine.IO 4: how Socket.IO clients come in before they upgrade to WebSocket, or if they cannot.

A client is a handshake (GET), then one GET that waits for packets at a time, and POSTs with the packets it sends. What
it is told and what it may do is a ``Session``'s, as for every other subscriber.
"""
