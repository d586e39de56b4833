"""Which certificates of a server are trusted, and what is wrong with one, in words.

By default those of the public authorities are; a server of one's own has its authority in a file, or a certificate
that is known by its fingerprint.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import ssl
from dataclasses import dataclass
from typing import Any

from skywatch.sentences import sentence

_FINGERPRINT = re.compile(r"(?:sha256:)?((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})", re.IGNORECASE)
_PEM = b"-----BEGIN CERTIFICATE-----"
MAX_FILE = 1 << 20
# X509_V_ERR_* of OpenSSL's x509_vfy.h.
_FAULTS = {
    9: "the certificate is not valid yet; is a clock wrong?",
    10: "the certificate has expired",
    62: "the certificate is for another name than that of the address",
    64: "the certificate is for another name than that of the address",
}
UNTRUSTED = sentence("tls.untrusted", "the certificate is not trusted")
HOW_TO_TRUST = "ca=FILE names its authority, fingerprint=SHA256 the certificate itself"
# Reasons of OpenSSL for an answer that is not TLS.
_PLAIN = frozenset(("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"))
PLAIN = "the server does not speak TLS on this port; is the address http://?"


@dataclass(frozen=True)
class Trust:
    """``ca`` is a file with certificates (PEM) in place of the public authorities; with ``fingerprint`` (SHA-256, 32
    bytes) the server must have this very certificate, whose name and end then do not matter unless there is ``ca``.
    """

    ca: str = ""
    fingerprint: bytes = b""

    def context(self) -> ssl.SSLContext | None:
        """What a client verifies by, None for the public authorities; raises ValueError where the file is of no use."""
        if not self.ca and not self.fingerprint:
            return None
        if self.ca:
            context = _context_of(self.ca)
        else:
            # Another certificate is refused by its fingerprint, whoever has signed it.
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.fingerprint:
            context.sslobject_class = _pinned(self.fingerprint, ssl.SSLObject)
            context.sslsocket_class = _pinned(self.fingerprint, ssl.SSLSocket)
        return context


PUBLIC = Trust()


def read_trust(ca: str | None, fingerprint: str | None, url: str) -> Trust:
    """Of the options of an input; raises ValueError with a reason for people."""
    if ca is None and fingerprint is None:
        return PUBLIC
    if not url.lower().startswith(("https:", "mqtts:")):
        raise ValueError("ca and fingerprint are for https:// and mqtts:// addresses")
    match = _FINGERPRINT.fullmatch(fingerprint or "")
    if fingerprint is not None and match is None:
        raise ValueError("fingerprint must be the SHA-256 of the certificate: 64 hexadecimal digits")
    trust = Trust(ca or "", bytes.fromhex(match[1].replace(":", "")) if match else b"")
    if ca is not None:
        _context_of(ca)
    return trust


def _context_of(path: str) -> ssl.SSLContext:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE)
    except OSError as error:
        raise ValueError(f"ca: {path} cannot be read: {(error.strerror or 'unknown error').lower()}") from None
    if _PEM not in data:
        raise ValueError(f"ca: {path} holds no certificate in PEM form")
    try:
        context = ssl.create_default_context(cadata=data.decode("ascii", "replace"))
    except (ssl.SSLError, ValueError):
        raise ValueError(f"ca: {path} holds a certificate that cannot be read") from None
    # A certificate that signs itself is its own authority, also without the extensions that public ones must have.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _pinned(fingerprint: bytes, kind: Any) -> Any:
    """Connections that end unless the server has the certificate of this fingerprint."""

    class PinnedConnection(kind):
        def do_handshake(self, *arguments: Any) -> None:
            super().do_handshake(*arguments)
            certificate = self.getpeercert(binary_form=True) or b""
            actual = hashlib.sha256(certificate).digest()
            if not hmac.compare_digest(actual, fingerprint):
                raise ssl.SSLCertVerificationError(f"the certificate has another fingerprint: {actual.hex(':')}")

    return PinnedConnection


def tls_fault(error: ssl.SSLError) -> str:
    """What is wrong with a server's TLS, as one line without its address."""
    if isinstance(error, ssl.SSLCertVerificationError):
        code: Any = getattr(error, "verify_code", None)
        if code is None:
            return str(error.args[0]) if error.args else UNTRUSTED
        return _FAULTS.get(code, UNTRUSTED)
    reason = error.reason or ""
    if reason in _PLAIN:
        return PLAIN
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return sentence("tls.broken_off", "the server broke off the TLS handshake")
    return f"TLS failed ({reason.replace('_', ' ').lower()})" if reason else "TLS failed"
