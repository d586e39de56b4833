"""A sign-on from the first address to tokens, and logout."""
