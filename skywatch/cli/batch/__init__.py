"""``skywatch batch``: work over archived days, in processes of this machine or on a Dask cluster."""

from skywatch.cli.batch.command import batch

__all__ = ["batch"]
