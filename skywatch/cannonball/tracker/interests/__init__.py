"""Which aircraft are of interest: known ones, operators, surveillance patterns.

Not here: the rules that recognise an agency (`cannonball/identification`), and flight patterns (`patterns`).
"""
