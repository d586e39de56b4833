"""Skywatch's Mode S and ADS-B decoder: decodes frames to the state of aircraft.

``Decoder`` (``decoder.py``) takes batches of frames, decodes them as NumPy columns and keeps of each aircraft only
what decoding needs: its last position frames and position, whether its address was proved, its ADS-B version. What
becomes of the decoded values is the picture's business.
"""
