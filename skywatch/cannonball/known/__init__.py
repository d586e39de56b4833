"""The list of known aircraft: its entries, the search over them, and imports from other lists."""
