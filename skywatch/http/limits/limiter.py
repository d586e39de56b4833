"""Rate limits with the ``limits`` library: in Redis if the bus is Redis, else in memory.

On NATS, which has no counters, each process counts in memory what it and the others allow (``peers``).

While Redis is away, requests are counted in memory: limits then apply to each process, so that the service neither
stops nor allows unlimited guessing.

Windows, and no buckets as in ``core.limits``: responses name how many are left and when the window ends, and an
installation counts together.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter, RateLimiter

from skywatch.core.bus import OUTAGE, Bus
from skywatch.core.network.addresses import SITE_FACTOR, ipv6_site
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.http.limits.peers import Hit, PeerCounts
from skywatch.settings import Settings
from skywatch.settings.bus_address import BusAddress, parse_bus_address

log = logging.getLogger(__name__)

T = TypeVar("T")

REDIS_TIMEOUT_S = 1.0
# Pause after a failure of Redis, so that not every request waits for it (s).
REDIS_PAUSE_S = 5.0
SWEEP_EVERY_S = 30.0


@dataclass(frozen=True)
class Verdict:
    """Whether one more is allowed, and how many are left; ``reset_at`` is in unix seconds."""

    allowed: bool
    limit: int
    remaining: int
    reset_at: float

    @property
    def retry_after_s(self) -> int:
        """Whole seconds until the next attempt can succeed."""
        return max(1, int(self.reset_at - time.time() + 0.999))


class Limiter:
    """Limits by bucket and subject. Thread-safe.

    Where the subject is a network of IPv6, its site counts, too, and has ``SITE_FACTOR`` times as much.
    """

    def __init__(self, settings: Settings, bus: Bus | None = None) -> None:
        self._memory = _Counting(Counters(), _Windows(MovingWindowRateLimiter(MemoryStorage())))
        self._shared = _shared(settings)
        self._resume_at = 0.0
        self._faults = FaultLog(log, "limits are counted in memory", "limits are counted in Redis again")
        self._parsed: dict[tuple[str, int], RateLimitItem] = {}
        is_counted_by_peers = parse_bus_address(settings.bus).kind == "nats" and bus is not None
        self._peers = PeerCounts(bus, self._count) if bus is not None and is_counted_by_peers else None

    def hit(self, rate: str, bucket: str, subject: str, *, exact: bool = False) -> Verdict:
        """Count one against ``rate`` (``100/minute``).

        ``exact`` selects a moving window, which costs more; the default is a fixed window from the first hit.
        """
        verdict = self._ask(lambda c: (c.moving if exact else c.fixed).hit(self._item(rate), bucket, subject))
        site = ipv6_site(subject)
        if site and verdict.allowed:
            wider = self._item(rate, SITE_FACTOR)
            of_site = self._ask(lambda c: (c.moving if exact else c.fixed).hit(wider, bucket, site))
            verdict = verdict if of_site.allowed else of_site
        if self._peers is not None and verdict.allowed:
            self._peers.publish(Hit(rate, bucket, subject, is_exact=exact))
        return verdict

    def look(self, rate: str, bucket: str, subject: str) -> Verdict:
        """The verdict of ``hit`` with ``exact``, without counting."""
        verdict = self._ask(lambda c: c.moving.look(self._item(rate), bucket, subject))
        site = ipv6_site(subject)
        if site and verdict.allowed:
            of_site = self._ask(lambda c: c.moving.look(self._item(rate, SITE_FACTOR), bucket, site))
            verdict = verdict if of_site.allowed else of_site
        return verdict

    def forgive(self, rate: str, bucket: str, subject: str) -> None:
        """Reset the count."""
        self._ask(lambda c: c.moving.forgive(self._item(rate), bucket, subject))
        if self._peers is not None:
            self._peers.publish(Hit(rate, bucket, subject, is_forgiven=True))

    def _count(self, hit: Hit) -> None:
        """Count what another process has counted."""
        item = self._item(hit.rate)
        if hit.is_forgiven:
            self._memory.moving.forgive(item, hit.bucket, hit.subject)
            return
        windows = self._memory.moving if hit.is_exact else self._memory.fixed
        windows.hit(item, hit.bucket, hit.subject)
        site = ipv6_site(hit.subject)
        if site:
            windows.hit(self._item(hit.rate, SITE_FACTOR), hit.bucket, site)

    def _item(self, rate: str, times: int = 1) -> RateLimitItem:
        item = self._parsed.get((rate, times))
        if item is None:
            item = parse(rate)
            item = self._parsed[rate, times] = type(item)(times * item.amount, item.multiples)
        return item

    def _ask(self, question: Callable[[_Counting], T]) -> T:
        if self._shared is not None and time.monotonic() >= self._resume_at:
            try:
                answer = question(self._shared)
            except StorageError as error:
                self._resume_at = time.monotonic() + REDIS_PAUSE_S
                self._faults.failed(f"Redis cannot be used ({error})", cause=OUTAGE)
            else:
                self._faults.succeeded()
                return answer
        return question(self._memory)


def rate_limiter(runtime: Runtime) -> Limiter:
    """The limiter of a process that serves the API."""
    return Limiter(runtime.settings, runtime.bus)


class Counters:
    """Fixed windows in memory: one look-up of one counter for each request.

    The library's strategy accesses its storage three times, with a new key each time, and its storage in memory starts
    a timer thread a hundred times a second for its clean-up: more than the rest of the limit costs.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._counters: dict[tuple[str, str, int, int], tuple[int, float]] = {}
        self._sweep_at = 0.0

    def hit(self, item: RateLimitItem, bucket: str, subject: str) -> Verdict:
        """Count one in the window that began with the first one."""
        now, duration_s = time.time(), item.get_expiry()
        key = bucket, subject, item.amount, duration_s
        with self._guard:
            if now >= self._sweep_at:
                self._counters = {k: v for k, v in self._counters.items() if v[1] > now}
                self._sweep_at = now + SWEEP_EVERY_S
            count, end = self._counters.get(key, (0, 0.0))
            if end <= now:
                count, end = 0, now + duration_s
            self._counters[key] = (count + 1, end)
        return Verdict(count < item.amount, item.amount, max(0, item.amount - count - 1), end)


class _Windows:
    """Windows of the library, in any storage."""

    def __init__(self, strategy: RateLimiter) -> None:
        self._strategy = strategy

    def hit(self, item: RateLimitItem, bucket: str, subject: str) -> Verdict:
        return self._verdict(self._strategy.hit(item, bucket, subject), item, bucket, subject)

    def look(self, item: RateLimitItem, bucket: str, subject: str) -> Verdict:
        return self._verdict(self._strategy.test(item, bucket, subject), item, bucket, subject)

    def forgive(self, item: RateLimitItem, bucket: str, subject: str) -> None:
        self._strategy.clear(item, bucket, subject)

    def _verdict(self, allowed: bool, item: RateLimitItem, bucket: str, subject: str) -> Verdict:
        stats = self._strategy.get_window_stats(item, bucket, subject)
        return Verdict(allowed, item.amount, max(0, int(stats.remaining)), stats.reset_time)


@dataclass(frozen=True)
class _Counting:
    """The two ways to count, in one storage."""

    fixed: Counters | _Windows
    moving: _Windows


def _shared(settings: Settings) -> _Counting | None:
    address = parse_bus_address(settings.bus, settings.bus_prefix)
    if address.kind not in ("redis", "sentinel"):
        return None
    # Installations that share a Redis server must not share limits.
    installation = hashlib.sha256(settings.secret.encode()).hexdigest()[:8]
    options: dict[str, Any] = {
        "socket_timeout": REDIS_TIMEOUT_S,
        "socket_connect_timeout": REDIS_TIMEOUT_S,
        "key_prefix": f"{address.prefix}:limits:{installation}",
        "wrap_exceptions": True,
    }
    if address.kind == "sentinel":
        hosts = ",".join(f"{host.name}:{host.port}" for host in address.hosts)
        url = f"redis+sentinel://{hosts}/{address.service}"
        options |= _sentinel_options(address)
    else:
        url = address.url
        url = url.replace("unix://", "redis+unix://", 1) if url.startswith("unix://") else url
    storage = storage_from_string(url, **options)
    return _Counting(_Windows(FixedWindowRateLimiter(storage)), _Windows(MovingWindowRateLimiter(storage)))


def _sentinel_options(address: BusAddress) -> dict[str, Any]:
    tls = {"ssl": True} if address.is_tls else {}
    return {
        # A replica may not know yet what was counted.
        "use_replicas": False,
        "username": address.username,
        "password": address.password,
        "db": address.database,
        "sentinel_kwargs": {
            "username": address.option("sentinel_username"),
            "password": address.option("sentinel_password"),
            "socket_timeout": REDIS_TIMEOUT_S,
            **tls,
        },
        **tls,
    }
