"""One WebSocket: handshake, frames, queue, limits, and the causes of its end."""
