"""What else tar1090 asks for: traces, the recent past, replays, the range outline."""
