"""The parts of the benchmark ``whole``: the world, the service with its ledger, its users, and the table."""
