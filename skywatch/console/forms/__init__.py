"""Forms: fields, entries, uploads, confirmation, trials.

Not here: the pages that show them (`console/views`).
"""
