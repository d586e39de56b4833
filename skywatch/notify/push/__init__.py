"""Web Push: encryption for a browser (RFC 8291) and the identification of this installation (RFC 8292)."""
