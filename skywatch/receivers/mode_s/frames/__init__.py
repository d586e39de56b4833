"""The frame: parity, address and order."""
