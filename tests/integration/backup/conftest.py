"""What tests of backups share."""

from tests.backups import cheap_backups

__all__ = ["cheap_backups"]
