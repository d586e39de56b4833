"""The event topics: numbering, returning subscribers, receipts."""
