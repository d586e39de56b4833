"""The role ``ingest``: feeders are accepted, decoded and reduced in processes of their own, any number of them."""
