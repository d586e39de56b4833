"""The real-time channel: an Autobahn WebSocket server that tells subscribers the sky and what happens in it.

``server.RealtimeServer`` is the door. Which topic a subscriber may hear is decided by ``security.policy`` alone;
what the topics carry comes from the bus and, after an interruption, from the features' event sources.
"""
