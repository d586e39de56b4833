"""Which aircraft are of interest: known ones, operators, surveillance patterns."""
