"""Aircraft that come too near each other."""
