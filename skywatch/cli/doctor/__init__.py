"""``skywatch doctor FILE.ini``: tries what the settings name, and says what to mend."""

from skywatch.cli.doctor.command import doctor

__all__ = ["doctor"]
