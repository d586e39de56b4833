"""Writes a new feature into a checkout, or removes one that it wrote: ``skywatch new-feature``.

``names`` checks the name, ``files`` writes what is the feature's own from ``templates``, ``edits`` adds its lines to
the lists of the house, and ``checkout`` asks git and runs the generators of the manual.
"""
