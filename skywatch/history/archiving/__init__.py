"""History in the archive of years: what is archived, and how its points are columns of Parquet."""
