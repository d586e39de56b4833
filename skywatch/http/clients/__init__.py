"""The client of a request: addresses, cookies, origins, the way to the real-time channel."""
