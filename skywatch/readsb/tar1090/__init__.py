"""What tar1090 asks for besides: traces, the recent past, replays, the range outline."""
