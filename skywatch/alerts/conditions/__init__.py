"""The conditions of rules: table of fields, tree of conditions, message templates, quiet hours; values without state.

Not here: testing them on aircraft (`alerts/engine`).
"""
