"""``skywatch settings``: an administrator sees what is in force, and no credential."""

import pytest

from skywatch.cli.settings import without_passwords


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("memory", "memory"),
        ("redis://localhost:6379/0?prefix=sky", "redis://localhost:6379/0?prefix=sky"),
        ("redis://:hunter22@localhost/0", "redis://:***@localhost/0"),
        ("sqlite:////srv/sky/skywatch.sqlite", "sqlite:////srv/sky/skywatch.sqlite"),
        ("postgresql+psycopg://sky@db/sky", "postgresql+psycopg://sky@db/sky"),
        ("postgresql+psycopg://sky:hunter22@db:5432/sky", "postgresql+psycopg://sky:***@db:5432/sky"),
        ("postgresql+psycopg://sky:hun/t@er:22@db/sky", "postgresql+psycopg://sky:***@db/sky"),
        ("postgresql+psycopg://db/sky?user=sky&password=hunter22", "postgresql+psycopg://db/sky?user=sky&password=***"),
        ("adsbx-v2 https://me:hunter22@host/v2/point/47/8/250", "adsbx-v2 https://me:***@host/v2/point/47/8/250"),
        (
            "adsbx-v2 https://host/v2/point/47/8/250?api_key=hunter22",
            "adsbx-v2 https://host/v2/point/47/8/250?api_key=***",
        ),
    ],
)
def test_addresses_are_shown_without_their_passwords(value, shown):
    assert without_passwords(value) == shown
