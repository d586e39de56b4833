"""What aircraft say for minutes on end: identity, intent, integrity. It is written again only where it has changed."""
