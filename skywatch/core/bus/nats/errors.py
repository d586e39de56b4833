"""What an error of NATS means, in a few words for the administrator."""

from __future__ import annotations

import nats.errors
import nats.js.errors

# What the client raises where the server is away or refuses; builtin TimeoutError is an OSError.
ERRORS = (nats.errors.Error, OSError)
# JetStream's leader is gone, or it is not switched on; core NATS goes on meanwhile.
_NO_JETSTREAM = (
    nats.js.errors.ServiceUnavailableError,
    nats.js.errors.NoStreamResponseError,
    nats.errors.NoRespondersError,
)
# Codes of JetStream: no room for what is to be stored.
_FULL = (10023, 10047, 10077)
_CLOSED = (nats.errors.ConnectionClosedError, nats.errors.ConnectionReconnectingError, nats.errors.NoServersError)


def describe(error: BaseException) -> str:
    """One line without secrets."""
    text = str(error)
    if is_login_refusal(error):
        return "NATS refuses the user name, password or token"
    if "permissions violation" in text.lower():
        return "NATS does not permit the user what the bus needs"
    if getattr(error, "err_code", None) in _FULL:
        return "JetStream is full and refuses writes (max_file_store)"
    if isinstance(error, _NO_JETSTREAM):
        return "JetStream does not answer; is it switched on (-js), and has it a quorum?"
    if isinstance(error, nats.js.errors.APIError):
        return f"JetStream refuses: {(error.description or text)[:100]}"
    if isinstance(error, nats.errors.MaxPayloadError):
        return "a value is larger than NATS accepts (max_payload)"
    if isinstance(error, _CLOSED):
        return "NATS cannot be reached"
    if isinstance(error, TimeoutError | nats.errors.TimeoutError):
        return "NATS does not answer"
    return f"NATS cannot be reached: {text[:100]}"


def is_login_refusal(error: BaseException | None) -> bool:
    """Whether the server does not accept the name, password or token."""
    return isinstance(error, nats.errors.AuthorizationError) or "authorization violation" in str(error).lower()


def is_refusal(error: BaseException) -> bool:
    """Whether the server has answered, with a refusal, or JetStream alone is away."""
    return isinstance(error, (nats.js.errors.APIError, nats.errors.MaxPayloadError, *_NO_JETSTREAM))
