"""``HttpSource``: one document fetched again and again over a kept connection.

Conditional requests, gzip, few redirects, a bound for the size and one for the time; every way in which a server
can fail becomes an InputError that holds neither credentials nor what the server wrote.
"""

from __future__ import annotations

import asyncio
import email.utils
import logging
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

import httpx

from skywatch.core.network.certificates import PUBLIC, Trust, read_trust
from skywatch.inputs.options import Options
from skywatch.inputs.retrying_input import InputError, one_line
from skywatch.sentences import sentence

# These log every request with its whole address, keys and all.
for _chatty in ("httpx", "httpcore"):
    logging.getLogger(_chatty).setLevel(logging.WARNING)

MAX_BODY = 64 * 1024 * 1024
MAX_REDIRECTS = 5
CONNECT_TIMEOUT_S = 5.0
SILENCE_TIMEOUT_S = 10.0
REQUEST_TIMEOUT_S = 20.0
MAX_RETRY_AFTER_S = 3600.0


class HttpRefusal(InputError):
    """The server has answered, but without the document."""


class Fetched(NamedTuple):
    """A document and for how long it has been lying on the server (s), None where that is not said."""

    body: bytes
    age_s: float | None


class HttpSource:
    """A URL to be read while the ``async with`` block lasts; ``trust`` says which certificate its server may have."""

    def __init__(self, url: str, headers: dict[str, str] | None = None, trust: Trust = PUBLIC) -> None:
        self._url = url
        self._trust = trust
        self._headers = headers or {}
        self._validators: dict[str, str] = {}
        self._client: httpx.AsyncClient | None = None

    async def __aenter__(self) -> HttpSource:
        try:
            # Each time: the file may have been renewed.
            verify = await asyncio.to_thread(self._trust.context)
        except ValueError as error:
            raise InputError(str(error)) from None
        self._client = httpx.AsyncClient(
            headers={"User-Agent": "Skywatch", "Accept": "application/json", "Accept-Encoding": "gzip"} | self._headers,
            timeout=httpx.Timeout(SILENCE_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
            follow_redirects=True,
            max_redirects=MAX_REDIRECTS,
            # Proxies and netrc files of the environment are not settings of Skywatch.
            trust_env=False,
            verify=True if verify is None else verify,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def fetch(self) -> Fetched | None:
        """The document, or None where it has not changed since the last time. Raises InputError."""
        assert self._client is not None, "fetch within the async with block"
        has_answered = False
        try:
            async with (
                asyncio.timeout(REQUEST_TIMEOUT_S),
                self._client.stream("GET", self._url, headers=self._validators) as response,
            ):
                has_answered = True
                if response.status_code == HTTPStatus.NOT_MODIFIED and self._validators:
                    return None
                if response.status_code != HTTPStatus.OK:
                    raise HttpRefusal(_refusal(response), _retry_after(response))
                body = await _read(response)
        except TimeoutError:
            raise InputError(
                sentence(
                    "input.no_answer_within", "did not answer within {seconds} s", seconds=f"{REQUEST_TIMEOUT_S:g}"
                )
            ) from None
        except httpx.TimeoutException:
            raise InputError(sentence("input.server_silent", "the server is silent")) from None
        except httpx.TooManyRedirects:
            raise InputError(
                sentence("input.redirects", "redirects more than {most} times", most=MAX_REDIRECTS)
            ) from None
        except httpx.ConnectError as error:
            raise InputError(sentence("input.cannot_connect", "cannot connect: {error}", error=_cause(error))) from None
        except httpx.DecodingError:
            raise InputError(sentence("input.damaged_answer", "the answer is damaged (it does not unpack)")) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            # What answers to plain HTTP by ending the connection may expect TLS.
            is_tls = self._url.lower().startswith("https:")
            hint = "" if has_answered or is_tls else "; is the address https://?"
            raise InputError(
                sentence(
                    "input.connection_broke",
                    "the connection broke ({error}){hint}",
                    error=type(error).__name__,
                    hint=hint,
                )
            ) from None
        self._remember(response)
        return Fetched(body, _age_s(response))

    def forget(self) -> None:
        """Ask for the whole document next time, whether it has changed or not."""
        self._validators = {}

    def _remember(self, response: httpx.Response) -> None:
        pairs = (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"))
        self._validators = {
            request_header: response.headers[response_header]
            for response_header, request_header in pairs
            if response_header in response.headers
        }


def parse_trust(options: Options, url: str) -> Trust:
    """The options ``ca`` and ``fingerprint`` of an input by URL; raises ValueError with a reason for people."""
    return read_trust(options.text("ca"), options.text("fingerprint"), url)


def parse_url(text: str) -> str:
    """An http or https address; raises ValueError with a reason for people."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        httpx.URL(text)
    except (ValueError, httpx.InvalidURL):
        raise ValueError(sentence("input.bad_address", "is not a good address")) from None
    if parts.scheme not in ("http", "https") or not host or port == 0:
        raise ValueError(sentence("input.expected_http", "expected an http:// or https:// address"))
    return text


def shown_url(url: str) -> str:
    """The address without user, password, query and fragment: any of them may be a secret."""
    parts = urlsplit(url)
    query = "..." if parts.query else ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query, ""))


async def _read(response: httpx.Response) -> bytes:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BODY:
            raise InputError(
                sentence(
                    "input.answer_too_large", "the answer is larger than {most} MiB", most=MAX_BODY // (1024 * 1024)
                )
            )
    return bytes(body)


def _refusal(response: httpx.Response) -> str:
    try:
        phrase = HTTPStatus(response.status_code).phrase
    except ValueError:
        phrase = ""
    return f"the server answered {response.status_code} {phrase}".rstrip()


def _cause(error: BaseException) -> str:
    """Why a connection failed; libraries wrap the system's word in their own."""
    reason, seen = one_line(error), error.__cause__ or error.__context__
    while seen is not None:
        if isinstance(seen, OSError):
            reason = one_line(seen)
        seen = seen.__cause__ or seen.__context__
    return reason


def _seconds_of(date: str | None) -> float | None:
    if not date:
        return None
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _age_s(response: httpx.Response) -> float | None:
    """Both dates are the server's, so that its clock may be as wrong as it likes."""
    modified, answered = (_seconds_of(response.headers.get(name)) for name in ("Last-Modified", "Date"))
    return None if modified is None or answered is None else max(answered - modified, 0.0)


def _retry_after(response: httpx.Response) -> float:
    text = response.headers.get("Retry-After", "")
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(float(text), MAX_RETRY_AFTER_S)
    until, answered = _seconds_of(text), _seconds_of(response.headers.get("Date"))
    if until is None or answered is None:
        return 0.0
    return min(max(until - answered, 0.0), MAX_RETRY_AFTER_S)
