"""The picture in other processes: published, followed, and ageing while the tracker is silent."""
