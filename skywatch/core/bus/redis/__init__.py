"""The bus on Redis, one server or the master that Sentinel names."""
