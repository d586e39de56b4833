"""What `make release` does: checks, builds, describes and tags a release. It is no part of what is installed."""
