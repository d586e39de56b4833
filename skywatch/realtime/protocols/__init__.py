"""The protocols spoken on the channel: each turns text into actions and messages into text, and holds no rules."""
