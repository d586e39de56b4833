"""The resources of rules, of their dry run, and of their export and import."""
