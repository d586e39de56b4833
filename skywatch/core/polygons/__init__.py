"""Polygons with a band of altitude, read from GeoJSON and OpenAir: geofences and airspaces are made of them.

Not here: geofences of users (`alerts/geofences`), and areas of the API's addresses (`security/area.py`).
"""
