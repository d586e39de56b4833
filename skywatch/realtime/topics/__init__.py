"""The topics: what the picture and the events send to each subscriber. Nothing here knows a connection."""
