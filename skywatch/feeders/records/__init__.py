"""Feeders as records: who registered which, its UUID and the lines that make a program feed."""
