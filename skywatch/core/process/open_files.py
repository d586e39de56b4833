"""How many files and sockets the process may have open."""

from __future__ import annotations

import logging
import resource

log = logging.getLogger(__name__)


def allow_files(count: int) -> None:
    """Raise the soft limit of open files as far as the hard one lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < target:
        resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
    if soft != resource.RLIM_INFINITY and target < count:
        log.warning("the system allows %d open files, fewer than the connections allowed by settings need", target)
