"""Lists of aircraft in the forms that others publish them in, read into rows of our own.

Each form is one module with ``read(table) -> items``; what cannot be read is an item too, with its line and reason.
"""
