"""``skywatch mcp URL``: passes messages of the Model Context Protocol from standard input to a service's ``/mcp``."""

from __future__ import annotations

import base64
import os
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
import httpx
import msgspec

from skywatch.cli.radar.command import TOKEN_VARIABLES, base_address
from skywatch.core.terminal.command import fail

# A dry run over a day of history takes up to 40 s.
TIMEOUT_S = 60.0
AT_ONCE = 4
INVALID, PARSE_ERROR, INTERNAL_ERROR = -32600, -32700, -32603
REVISION = "io.modelcontextprotocol/protocolVersion"
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
# A credential as a header holds it.
_WORD = re.compile(r"[!-~]+")
# What is named in the header ``Mcp-Name``, by method.
NAMED = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}


@click.command()
@click.argument("url", metavar="URL")
@click.option(
    "--credential-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="file with an API key or access token, read again for each message",
)
def mcp(url: str, credential_file: Path | None) -> None:
    """Let an assistant that starts this command ask the service at URL (such as http://localhost:6543).

    The service has the setting mcp_enabled. The API key or token comes from --credential-file, or from SKYWATCH_API_KEY
    or SKYWATCH_TOKEN.
    """
    if credential_file is None and not any(os.environ.get(name) for name in TOKEN_VARIABLES):
        fail(f"an API key is needed: set {TOKEN_VARIABLES[0]}, or name a file with --credential-file")
    base = _address(url)
    # No proxy of the environment: it would read the credential where the address is not encrypted.
    with httpx.Client(base_url=base, timeout=TIMEOUT_S, trust_env=base.startswith("https:")) as http:
        bridge = Bridge(http, credential_file)
        threads = ThreadPoolExecutor(AT_ONCE)
        try:
            slots = threading.Semaphore(2 * AT_ONCE)
            for line in sys.stdin.buffer:
                if line.strip():
                    # Reads on only while there is room, so that the sender waits instead of this process growing.
                    slots.acquire()
                    threads.submit(bridge.handle, line).add_done_callback(lambda _: slots.release())
        except KeyboardInterrupt:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
        threads.shutdown()


def _address(url: str) -> str:
    """The address of the service; encrypted unless ``http://`` was typed or the host is this machine."""
    if "://" not in url and urlsplit(f"//{url}").hostname not in THIS_MACHINE:
        url = f"https://{url}"
    address = base_address(url)
    if "@" in urlsplit(address).netloc:
        fail("the address has no user or password: the API key goes into the environment or a file")
    return address


class Bridge:
    """Sends each line as one request, and prints its answer as one line. Safe to use from several threads."""

    def __init__(self, http: httpx.Client, credential_file: Path | None) -> None:
        self._http = http
        self._credential_file = credential_file
        self._printing = threading.Lock()
        # What the service answered to ``initialize``; revisions without it are named by each message.
        self._revision = ""

    def handle(self, line: bytes) -> None:
        """Answer one line; notifications are not answered."""
        try:
            message = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            self._print(_error(None, PARSE_ERROR, "Not JSON"))
            return
        if not isinstance(message, dict):
            self._print(_error(None, INVALID, "Expected one message of JSON-RPC"))
            return
        try:
            answer = self._ask(line, message)
        except Exception as error:
            # Whatever it is, the sender waits for an answer. Its text may hold the credential.
            answer = _error(message.get("id"), INTERNAL_ERROR, f"The service cannot be asked: {type(error).__name__}")
        if "id" in message:
            self._print(answer or _error(message["id"], INTERNAL_ERROR, "The service did not answer"))

    def _ask(self, line: bytes, message: dict[str, Any]) -> dict[str, Any] | None:
        try:
            headers = self._headers(message)
        except (OSError, ValueError):
            return _error(message.get("id"), INTERNAL_ERROR, "The credential cannot be read, or is not one word")
        try:
            response = self._http.post("/mcp", content=line, headers=headers)
        except httpx.HTTPError as error:
            text = f"{self._http.base_url} cannot be asked: {type(error).__name__}"
            return _error(message.get("id"), INTERNAL_ERROR, text)
        try:
            answer = msgspec.json.decode(response.content) if response.content else None
        except (ValueError, RecursionError):
            answer = None
        if isinstance(answer, dict) and "jsonrpc" in answer:
            result = answer.get("result")
            if message.get("method") == "initialize" and isinstance(result, dict):
                self._revision = str(result.get("protocolVersion", ""))
            return answer
        if response.status_code < 300:
            return None
        detail = answer.get("detail", "") if isinstance(answer, dict) else ""
        if response.is_redirect:
            # It is not followed: the credential is for the address that was typed.
            detail = f"The service is at {response.headers.get('Location', '')[:200]}."
        return _error(message.get("id"), INTERNAL_ERROR, f"The service answered {response.status_code}. {detail}")

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        credential = self._credential()
        headers["Authorization"] = f"{'ApiKey' if credential.startswith('sk_') else 'Bearer'} {credential}"
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        revision = meta.get(REVISION, self._revision) if isinstance(meta, dict) else self._revision
        subject = params.get(NAMED.get(str(message.get("method")), ""))
        said = {"MCP-Protocol-Version": revision, "Mcp-Method": message.get("method"), "Mcp-Name": subject}
        return headers | {name: _header(value) for name, value in said.items() if isinstance(value, str) and value}

    def _credential(self) -> str:
        """Return it; raises ValueError where it is not one word, and never says what it is."""
        if self._credential_file is not None:
            credential = self._credential_file.read_text(encoding="utf-8-sig").strip()
        else:
            credential = next(value for name in TOKEN_VARIABLES if (value := os.environ.get(name))).strip()
        if not _WORD.fullmatch(credential):
            raise ValueError
        return credential

    def _print(self, answer: dict[str, Any]) -> None:
        with self._printing:
            try:
                sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
                sys.stdout.buffer.flush()
            except BrokenPipeError:
                # Nobody reads any more, and nothing is left to be closed.
                os._exit(1)


def _header(text: str) -> str:
    """A text as a header holds it: in base64 where it is more than printable ASCII."""
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def _error(message_id: Any, code: int, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": text.strip()}}
