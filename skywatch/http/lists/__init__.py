"""Lists: pages, cursors, conditional requests, exports sent in pieces."""
