"""The frame: bits, parity, address and order."""
