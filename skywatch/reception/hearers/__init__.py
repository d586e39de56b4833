"""Which receivers hear an aircraft: asked of the tracker's picture, and named as far as a caller may know."""
