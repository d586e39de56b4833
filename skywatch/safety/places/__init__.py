"""The stored rows of what is learnt by place, and of regions of disturbed navigation."""
