"""An identity provider for tests that can be told to do everything wrong, each thing by itself.

It speaks over a real socket. ``lies`` changes the claims of the next ID token, ``sign`` how it is signed, and
``instead`` answers a path with something else altogether.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID = "skywatch"
CLIENT_SECRET = "between us, and only us"
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


# Keys that providers take in turn: to make one takes longer than most tests of a provider.
KEYS = 8
_turns = itertools.count()


@cache
def _key(number: int) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": f"{number}-{secrets.token_hex(4)}", "use": "sig"})


def b64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


class FakeProvider:
    """A provider with one person, whose claims are ``person``."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.person: dict[str, Any] = {"sub": "1001", "name": "Ada L.", "preferred_username": "ada"}
        self.lies: dict[str, Any] = {}
        self.userinfo: dict[str, Any] | None = None
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.instead: dict[str, Callable[[Any], None]] = {}
        self.asked: list[str] = []
        self.discovery: dict[str, Any] = {}
        self._codes: dict[str, dict[str, str]] = {}
        self.rotate()

    def rotate(self) -> None:
        """Another key than this provider and the one before had; the old one is gone at once."""
        self.key = _key(next(_turns) % KEYS)

    def signed(self, claims: dict[str, Any], key: Any = None, algorithm: str = "RS256", **header: Any) -> str:
        key = key or self.key
        return jwt.encode({"alg": algorithm, "kid": self.key.kid, **header}, claims, key, algorithms=[algorithm])

    def unsigned(self, claims: dict[str, Any]) -> str:
        head = b64(json.dumps({"alg": "none"}).encode())
        return f"{head}.{b64(json.dumps(claims).encode())}."

    def with_the_public_key(self, claims: dict[str, Any]) -> str:
        """HS256 over the text of the public key, which everybody has."""
        head = b64(json.dumps({"alg": "HS256", "kid": self.key.kid}).encode())
        body = f"{head}.{b64(json.dumps(claims).encode())}"
        return f"{body}.{b64(hmac.digest(self.key.as_pem(private=False), body.encode(), 'sha256'))}"

    def log_in(self, authorization_url: str) -> dict[str, str]:
        """What the browser brings back to the redirect address after the person has logged in."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(authorization_url).query).items()}
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT_ID
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def logout_token(self, **changes: Any) -> str:
        now = int(time.time())
        claims: dict[str, Any] = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 120}
        claims |= {"jti": secrets.token_hex(8), "events": {LOGOUT_EVENT: {}}, "sub": self.person["sub"], **changes}
        return self.sign({name: value for name, value in claims.items() if value is not ...})

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "end_session_endpoint": f"{self.url}/end",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            **self.discovery,
        }

    def answer(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        if path == "/.well-known/openid-configuration":
            return 200, self.metadata()
        if path == "/keys":
            return 200, {"keys": [self.key.as_dict(private=False)]}
        if path == "/userinfo":
            return 200, self.userinfo or self.person
        if path == "/token":
            return self._token(form, authorization)
        return 404, {"error": "not_found"}

    def _token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        expected = base64.b64encode(f"{CLIENT_ID}:between%20us%2C%20and%20only%20us".encode()).decode()
        if authorization != f"Basic {expected}":
            return 401, {"error": "invalid_client"}
        asked = self._codes.pop(form.get("code", ""), None)
        if asked is None or asked["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}
        if b64(hashlib.sha256(form["code_verifier"].encode()).digest()) != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims |= {**self.person, "sid": "session-1", **self.lies}
        token = self.sign({name: value for name, value in claims.items() if value is not ...})
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": token}


@contextmanager
def fake_provider() -> Iterator[FakeProvider]:
    """A provider that runs until the end of the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            size = int(self.headers.get("Content-Length", 0))
            form = {name: values[0] for name, values in parse_qs(self.rfile.read(size).decode()).items()}
            provider.asked.append(path)
            if path in provider.instead:
                provider.instead[path](self)
                return
            status, body = provider.answer(path, form, self.headers.get("Authorization", ""))
            self.say(status, json.dumps(body).encode())

        def do_POST(self) -> None:
            self.do_GET()

        def say(self, status: int, body: bytes, content_type: str = "application/json", **headers: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                pass  # A client that has read enough hangs up.

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider = FakeProvider(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
