"""The stored rows of what is learnt by place, and of regions of disturbed navigation.

Not here: learning them (`safety/detection/learnt_places.py`).
"""
