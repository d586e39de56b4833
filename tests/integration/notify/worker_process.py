"""A worker in a process of its own, to be killed: ``python -m ...notify.worker_process DATABASE_URL``."""

import asyncio
import sys
from datetime import timedelta

from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.notify.deliveries import leases
from skywatch.notify.deliveries.worker import create
from tests.accounts import TEST_SECRET


async def main(database_url: str) -> None:
    settings = load(
        {"database_url": database_url, "auth_mode": "public", "environment": "development", "secret": TEST_SECRET,
         "notify_allow_networks": "127.0.0.0/8"},
        environ={},
    )  # fmt: skip
    runtime = Runtime.open(settings)
    await create(runtime).start()
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    # A test does not want to wait for half a minute after each kill.
    leases.LEASE = timedelta(seconds=1)
    asyncio.run(main(sys.argv[1]))
