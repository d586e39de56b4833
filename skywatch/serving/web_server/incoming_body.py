"""``IncomingBody``: a request's body while it arrives. Nothing of it goes to disk before its sender is known.

The first ``FREE_BODY_BYTES`` are read into memory whoever sends them. For more the application is asked
(``http.limits.admission``): at once where the credential stands in the head, after the form's field where it stands
in the form. Forms whose field comes late stay in memory meanwhile, within a limit for each network and in all.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Mapping

from skywatch.core.limits import CountLimit
from skywatch.core.network.addresses import TrustedProxies, client_network
from skywatch.http.limits.admission import FREE_BODY_BYTES, RETRY_AFTER_S, TOO_MANY_OF_ADDRESS, TOO_MANY_OF_USER
from skywatch.http.metrics import BODY_BYTES, THROTTLED
from skywatch.http.requests.forms import FormField
from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.byte_ledger import ByteLedger, Reservation
from skywatch.serving.web_server.chunked_body import Chunks
from skywatch.serving.web_server.request_head import Refusal, RequestHead

# An unidentified sender's large body must have named its sender within this time (s).
UNIDENTIFIED_S = 60.0
# Of a known sender more than this goes to an unnamed file (bytes).
SPOOL_BYTES = 524_288
# Bodies up to so many times the application's limit are read, so that the application can respond.
SPARE = 2


class BodyLimits:
    """What all connections share: the ledgers, the limits of addresses, and where forms carry credentials."""

    def __init__(self, settings: HttpSettings) -> None:
        # Path -> field of its form; beginning of a path -> its limit, where that is another one.
        self.form_fields: Mapping[str, str] = {}
        self.larger: Mapping[str, int] = {}
        of_address, in_all = settings.api_unidentified_bytes_per_address, settings.api_unidentified_bytes
        self.unidentified = ByteLedger(CountLimit(of_address, in_all, of_sites=True), BODY_BYTES.labels("unidentified"))
        self.users = ByteLedger(CountLimit(settings.api_upload_bytes_per_user), BODY_BYTES.labels("identified"))
        self._max_bytes = settings.max_body_bytes
        self._proxies = TrustedProxies(settings.trusted_proxy)

    def network_of(self, peer: str, forwarded_for: str) -> str:
        """The network of a client, behind a trusted proxy too."""
        return client_network(self._proxies.client_address(peer, forwarded_for))

    def max_bytes(self, path: str) -> int:
        """From how many bytes on the body of a request is not read."""
        limit = self._max_bytes
        for prefix, larger in self.larger.items():
            if path.startswith(prefix):
                limit = larger
        return SPARE * limit


class IncomingBody:
    """The state of one body. ``needs_admission`` asks for a decision before more is read."""

    def __init__(self, limits: BodyLimits, head: RequestHead, peer: str) -> None:
        path = head.path
        name = limits.form_fields.get(path.rstrip("/"))
        self._field = FormField(head.field("content-type"), name) if name is not None else None
        # In memory until it is admitted; a size of 0 is no limit.
        self.file = tempfile.SpooledTemporaryFile(max_size=0)  # noqa: SIM115
        self.size = 0
        self.needs_admission = False
        self.unidentified_since: float | None = None
        self._limits, self._max_bytes = limits, limits.max_bytes(path)
        self._length = head.content_length
        self._chunks = Chunks(self._append) if head.is_chunked else None
        self._unidentified = Reservation(limits.unidentified, limits.network_of(peer, head.field("x-forwarded-for")))
        self._of_user: Reservation | None = None

    @property
    def form_value(self) -> str:
        """The credential in the form; empty where none was found."""
        return (self._field.value if self._field is not None else None) or ""

    @property
    def is_complete(self) -> bool:
        """Whether all of it has arrived."""
        return self._chunks.is_complete if self._chunks is not None else self.size >= self._length

    def receive(self, data: bytes) -> int:
        """Take what belongs to the body; returns the number of bytes. Raises Refusal."""
        if self._chunks is not None:
            taken = self._chunks.receive(data)
        else:
            taken = min(len(data), self._length - self.size)
            self._append(data[:taken])
        self.check()
        return taken

    def _append(self, data: bytes) -> None:
        if not data:
            return
        if self._field is not None:
            self._field.feed(data)
        self.file.write(data)
        self.size += len(data)
        if self._of_user is not None and self.size > SPOOL_BYTES:
            self.file.rollover()

    def check(self) -> None:
        """To be called after the head and after each piece; raises Refusal (413, 429)."""
        if max(self._length, self.size) >= self._max_bytes:
            raise Refusal(413, f"exceeds max_body of {self._max_bytes}")
        if self.is_complete:
            return
        if self._of_user is not None:
            if not self._of_user.grow_to(self.size):
                raise _refused("uploads", TOO_MANY_OF_USER)
        elif max(self._length, self.size) > FREE_BODY_BYTES:
            if self._field is None or self._field.is_decided:
                self.needs_admission = True
            elif self.size > FREE_BODY_BYTES:
                self.unidentified_since = self.unidentified_since or time.time()
                if not self._unidentified.grow_to(self.size):
                    raise _refused("unidentified", TOO_MANY_OF_ADDRESS)

    def admit(self, user_id: int) -> bool:
        """Count the body for a user, and let it go to disk; False where the user sends too much at once."""
        reservation = Reservation(self._limits.users, user_id, may_be_alone=True)
        if not reservation.grow_to(max(self._length, self.size)):
            return False
        self._of_user = reservation
        self._unidentified.release()
        self.needs_admission, self.unidentified_since = False, None
        return True

    def is_overdue(self, now: float) -> bool:
        """Whether an unidentified sender has taken too long."""
        return self.unidentified_since is not None and now - self.unidentified_since >= UNIDENTIFIED_S

    def close(self) -> None:
        """Give back what it holds; from any thread, any number of times."""
        self._unidentified.release()
        if self._of_user is not None:
            self._of_user.release()
        # What a full disk did not take cannot be written now either.
        with contextlib.suppress(OSError):
            self.file.close()


def _refused(scope: str, detail: str) -> Refusal:
    THROTTLED.labels(scope).inc()
    return Refusal(429, detail.rstrip("."), RETRY_AFTER_S)
