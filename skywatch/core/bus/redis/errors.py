"""What an error of Redis means, in a few words for the administrator."""

from __future__ import annotations

import redis

from skywatch.sentences import sentence

# What Redis answers begins with one of these (redis-py has classes for some of them, and removes the word).
_REFUSALS: tuple[tuple[str, str], ...] = (
    ("READONLY", "Redis is a replica and refuses writes (READONLY)"),
    ("OOM", "Redis is out of memory and refuses writes (maxmemory)"),
    ("MISCONF", "Redis cannot save to its disk and refuses writes (MISCONF)"),
    ("NOREPLICAS", "Redis has too few replicas and refuses writes (NOREPLICAS)"),
    ("MASTERDOWN", "Redis is a replica without its master (MASTERDOWN)"),
    ("LOADING", "Redis is loading its data"),
    ("NOAUTH", "Redis asks for a password"),
    ("WRONGPASS", "Redis refuses the user name or password"),
    ("NOPERM", "Redis does not permit the user what the bus needs (NOPERM)"),
)
_CLASSES: tuple[tuple[type[Exception], str], ...] = (
    (redis.exceptions.ReadOnlyError, _REFUSALS[0][1]),
    (redis.exceptions.OutOfMemoryError, _REFUSALS[1][1]),
    (redis.exceptions.BusyLoadingError, "Redis is loading its data"),
    (redis.exceptions.NoPermissionError, _REFUSALS[-1][1]),
    (redis.exceptions.AuthenticationError, "Redis refuses the user name or password"),
)


def describe(error: BaseException) -> str:
    """One line without secrets."""
    for kind, text in _CLASSES:
        if isinstance(error, kind):
            return text
    message = str(error)
    if "max number of clients" in message:
        return "Redis takes no more clients (maxclients)"
    for word, text in _REFUSALS:
        if message.startswith(word) or f" {word} " in message:
            return text
    if isinstance(error, redis.TimeoutError | TimeoutError):
        return sentence("health.server_silent", "{server} does not answer", server="Redis")
    if isinstance(error, redis.ResponseError):
        return f"Redis refuses: {message[:100]}"
    return f"Redis cannot be reached: {message[:100]}"


def is_refusal(error: BaseException) -> bool:
    """Whether Redis answered with a refusal."""
    return isinstance(error, redis.ResponseError)
