"""Areas with a band of altitude, read from GeoJSON and OpenAir: geofences and airspaces are made of them."""
