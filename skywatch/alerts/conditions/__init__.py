"""The conditions of rules: table of fields, tree of conditions, message templates and quiet hours. Pure values."""
