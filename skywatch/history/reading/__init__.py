"""Reads flights and tracks back, and shows them."""
