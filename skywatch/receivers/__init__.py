"""Where aircraft come from: one file for each kind of input, and the decoders that they need.

A receiver turns what it hears into reports and leaves it to the picture to merge them.
"""
