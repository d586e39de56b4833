"""The list of known aircraft: its entries, the search over them, and imports from other lists.

Not here: recognising an aircraft that is not on it (`cannonball/identification`).
"""
