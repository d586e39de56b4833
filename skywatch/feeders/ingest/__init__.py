"""The role ``ingest``: feeders are accepted, decoded and reduced in processes of their own, as many as wanted."""
