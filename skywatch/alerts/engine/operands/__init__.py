"""What tests read: the aircraft of a tick in slots, texts as codes, geofences."""
