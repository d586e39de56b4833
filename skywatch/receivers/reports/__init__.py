"""The report of a receiver about an aircraft: decoding from JSON, allowed values, last corrections."""
