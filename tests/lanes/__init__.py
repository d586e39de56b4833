"""The lanes of the tests: what a person runs at every save, and what each folder may take."""
