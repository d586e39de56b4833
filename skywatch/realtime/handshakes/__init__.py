"""The handshake of a connection: its rules, and the session that begins with it."""
