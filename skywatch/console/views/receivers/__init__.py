"""What the installation receives: receivers and inputs, the station, and what is known of airframes.

Not here: connecting to them (`receivers`), and how well they receive (`reception`).
"""
