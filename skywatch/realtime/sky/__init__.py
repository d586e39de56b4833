"""The aircraft topics: the picture as snapshots, updates and columns, for each view."""
