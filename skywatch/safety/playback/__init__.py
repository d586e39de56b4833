"""Safety events of recordings."""
