"""The processing of every request: tweens, routes, headers, one database session."""
