"""Rules as people keep them: created, changed, shared, followed, exported, imported and tried out."""
