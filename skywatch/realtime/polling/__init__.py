"""HTTP long polling of Engine.IO 4: how Socket.IO clients connect before they upgrade to WebSocket, if they can.

A client sends a handshake (GET), then one GET at a time that waits for packets, and POSTs with its own packets. What it
receives and what it may do is decided by its ``Session``, as for every other subscriber.
"""
