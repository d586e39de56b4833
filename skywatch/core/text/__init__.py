"""Texts of users: the characters of names, lines, regular expressions, escapes of what is printed."""
