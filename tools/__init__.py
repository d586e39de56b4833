"""Tools for work on Skywatch; they stay in the checkout and are in no wheel."""
