"""What the benchmark of endpoint costs is made of: the calibration, a populated installation, an entry each."""
