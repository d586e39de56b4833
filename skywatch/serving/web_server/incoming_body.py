"""``IncomingBody``: a request's body while it arrives. Nothing of it goes to disk before its sender is known.

The first ``FREE_BODY_BYTES`` are read into memory whoever sends them. For more the application is asked
(``http.limits.admission``): at once where the credential stands in the head, after the form's field where it stands
in the form. Forms whose field comes late stay in memory meanwhile, within a limit for each network and in all.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from waitress.buffers import OverflowableBuffer
from waitress.utilities import Error

from skywatch.core.network.addresses import TrustedProxies, client_network
from skywatch.http.limits.admission import FREE_BODY_BYTES, RETRY_AFTER_S, TOO_MANY_OF_ADDRESS, TOO_MANY_OF_USER
from skywatch.http.metrics import BODY_BYTES, THROTTLED
from skywatch.http.requests.forms import FormField
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.byte_ledger import ByteLedger, Reservation

# An unidentified sender's large body must have named its sender within this time (s).
UNIDENTIFIED_S = 60.0


class TooMuchAtOnce(Error):
    """The answer to a sender who exceeds a limit while the body arrives."""

    code = 429
    reason = "Too Many Requests"
    retry_after_s = RETRY_AFTER_S


class BodyLimits:
    """What all connections of a server share: the ledgers, and where forms carry their credential."""

    def __init__(self, settings: HttpSettings) -> None:
        # Path -> field of its form.
        self.form_fields: Mapping[str, str] = {}
        self.unidentified = ByteLedger(
            settings.api_unidentified_bytes_per_address,
            settings.api_unidentified_bytes,
            BODY_BYTES.labels("unidentified"),
        )
        self.users = ByteLedger(settings.api_upload_bytes_per_user, None, BODY_BYTES.labels("identified"))
        self._proxies = TrustedProxies(settings.trusted_proxy)

    def network_of(self, peer: str, forwarded_for: str | None) -> str:
        """The network of a client, behind a trusted proxy too."""
        return client_network(self._proxies.client_address(peer, forwarded_for))


class BodyBuffer(OverflowableBuffer):
    """Waitress' buffer, in memory until ``spool_above`` is called; looks for the field of a form as it is filled."""

    def __init__(self, field: FormField | None) -> None:
        super().__init__(sys.maxsize)
        self._field = field

    def append(self, data: bytes) -> None:
        """Add a piece of the body."""
        if self._field is not None:
            self._field.feed(data)
        super().append(data)

    def spool_above(self, size: int) -> None:
        """Write more than so many bytes to an unnamed file from the next piece on."""
        self.overflow = size


class IncomingBody:
    """The state of one body. ``needs_admission`` asks for a decision before more is read."""

    def __init__(self, limits: BodyLimits, network: str, path: str, content_type: str, content_length: int) -> None:
        name = limits.form_fields.get(path.rstrip("/"))
        self._field = FormField(content_type, name) if name is not None else None
        self.buffer = BodyBuffer(self._field)
        self.needs_admission = False
        self.unidentified_since: float | None = None
        self._limits, self._content_length = limits, content_length
        self._unidentified = Reservation(limits.unidentified, network)
        self._of_user: Reservation | None = None

    @property
    def form_value(self) -> str:
        """The credential in the form; empty where none was found."""
        return (self._field.value if self._field is not None else None) or ""

    def check(self) -> Error | None:
        """To be called after the head and after each piece; the error ends the request."""
        received = len(self.buffer)
        if self._of_user is not None:
            return None if self._of_user.grow_to(received) else _refused("uploads", TOO_MANY_OF_USER)
        if max(self._content_length, received) <= FREE_BODY_BYTES:
            return None
        if self._field is None or self._field.is_decided:
            self.needs_admission = True
        elif received > FREE_BODY_BYTES:
            self.unidentified_since = self.unidentified_since or time.time()
            if not self._unidentified.grow_to(received):
                return _refused("unidentified", TOO_MANY_OF_ADDRESS)
        return None

    def admit(self, user_id: int, spool_above: int) -> bool:
        """Count the body for a user, and let it go to disk; False where the user sends too much at once."""
        reservation = Reservation(self._limits.users, user_id, may_be_alone=True)
        if not reservation.grow_to(max(self._content_length, len(self.buffer))):
            return False
        self._of_user = reservation
        self._unidentified.release()
        self.buffer.spool_above(spool_above)
        self.needs_admission, self.unidentified_since = False, None
        return True

    def is_overdue(self, now: float) -> bool:
        """Whether an unidentified sender has taken too long."""
        return self.unidentified_since is not None and now - self.unidentified_since >= UNIDENTIFIED_S

    def release(self) -> None:
        """Give back what it held in the ledgers; from any thread, any number of times."""
        self._unidentified.release()
        if self._of_user is not None:
            self._of_user.release()


def _refused(scope: str, detail: str) -> TooMuchAtOnce:
    THROTTLED.labels(scope).inc()
    return TooMuchAtOnce(detail.rstrip("."))
