"""Texts of users: the characters of names, lines, regular expressions, escapes of what is printed.

Not here: texts of pages in several languages (`console/texts`), and of ACARS (`acars/decoding`).
"""
