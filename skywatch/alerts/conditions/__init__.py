"""What a rule asks: the table of fields, the tree of conditions, message templates and quiet hours. Pure values."""
