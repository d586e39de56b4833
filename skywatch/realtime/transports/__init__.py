"""The ways to a session: a WebSocket, or HTTP long polling of Engine.IO 4 until the client upgrades to one."""
