"""Who asks, and from where: addresses, cookies, origins, the way to the real-time channel."""
