"""What a process says of itself: health, figures, log lines."""
