"""Geofences: polygons on the map with an altitude band, drawn by users or imported, that rules refer to.

Not here: reading GeoJSON and OpenAir (`core/polygons`), and testing aircraft (`alerts/engine/operands/fences.py`).
"""
