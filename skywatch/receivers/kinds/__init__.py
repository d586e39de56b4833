"""The kinds of receivers: one module each, and what several of them share."""
