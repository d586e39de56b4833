"""The operands of tests: the aircraft of a tick by slot, texts as codes, places at geofences, masks as bits.

Not here: the tests themselves (`alerts/engine`), and geofences as rows (`alerts/geofences`).
"""
