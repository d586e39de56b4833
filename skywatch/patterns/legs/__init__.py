"""Patterns of straight legs: grid searches, flights to and fro along a line, procedure turns."""
