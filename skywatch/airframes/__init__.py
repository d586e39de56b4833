"""Airframe data by ICAO address: registration, type, operator, military flag and the like.

It comes from databases that the administrator imports (``skywatch airframes import``) and, for military aircraft,
from the blocks of addresses that States keep for their forces.
"""
