"""The trail of each flight in the sky, kept by the tracker and asked for by others."""
