"""The report of a receiver about an aircraft: its fields, allowed values, and reading it from JSON and traces.

Not here: reports of feeders as columns (`receivers/feeder_streams/reducer`).
"""
