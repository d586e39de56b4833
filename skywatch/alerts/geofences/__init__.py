"""Geofences: polygons on the map with an altitude band, drawn by users or imported, that rules refer to."""
