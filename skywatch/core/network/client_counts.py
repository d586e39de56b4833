"""``ClientCounts``: counts what clients have open, by their networks, and limits it.

An IPv6 client has a /64 and counts as one network. A site may have a /48 of 65,536 such networks, so that it has a
limit of its own: a few times as much as one network, and at most half of what there is in all.
"""

from __future__ import annotations

from collections import Counter

from skywatch.core.network.addresses import SITE_FACTOR, ipv6_site


class ClientCounts:
    """At most ``limit`` of one network (``client_network``), and ``site_limit(limit, in_all)`` of an IPv6 site."""

    def __init__(self, limit: int, in_all: int) -> None:
        self._limit, self._site_limit = limit, site_limit(limit, in_all)
        self._of_network: Counter[str] = Counter()
        self._of_site: Counter[str] = Counter()

    def take(self, network: str) -> bool:
        """Count one more; False if its network or its site has reached the limit."""
        site = ipv6_site(network)
        if self._of_network[network] >= self._limit or (site and self._of_site[site] >= self._site_limit):
            return False
        self._of_network[network] += 1
        if site:
            self._of_site[site] += 1
        return True

    def release(self, network: str) -> None:
        """Count one less."""
        for counts, name in ((self._of_network, network), (self._of_site, ipv6_site(network))):
            if name in counts:
                counts[name] -= 1
                if counts[name] <= 0:
                    del counts[name]

    def __len__(self) -> int:
        return self._of_network.total()


def site_limit(limit: int, in_all: int) -> int:
    """What an IPv6 site has where one network has ``limit``, and all together have ``in_all``."""
    return max(limit, min(SITE_FACTOR * limit, in_all // 2))
