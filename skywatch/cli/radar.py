"""``skywatch radar URL``: the live list in a terminal, over the real-time channel or, failing that, REST."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import click
import httpx
from rich.console import Console
from rich.live import Live

from skywatch.cli.radar_table import table
from skywatch.client import Client, FixedToken, LoginTokens, Refused, TokenSource
from skywatch.client.tokens import LoginFailed
from skywatch.core.command import fail

TOKEN_VARIABLES = ("SKYWATCH_API_KEY", "SKYWATCH_TOKEN")
DEFAULT_CHANNEL_PORT = 6544
TIMEOUT_S = 5.0
DRAW_EVERY_S = 0.5
POLL_EVERY_S = 1.0
# Without the channel for so long, the list is asked for instead.
CHANNEL_PATIENCE_S = 2.0


@dataclass
class Picture:
    """What is shown, and where it comes from."""

    aircraft: list[dict[str, Any]]
    source: str
    at: float = 0.0


@click.command()
@click.argument("url", metavar="URL")
@click.option("--bbox", metavar="W,S,E,N", help="only this area (degrees)")
@click.option("--username", help="log in with this name; the password is asked for or read from SKYWATCH_PASSWORD")
@click.option("--once", is_flag=True, help="print the list once and end (the default where there is no terminal)")
def radar(url: str, bbox: str | None, username: str | None, once: bool) -> None:
    """Show the live list of the service at URL (such as http://localhost:6543) in this terminal.

    Comes anonymously, with an API key or token from SKYWATCH_API_KEY or SKYWATCH_TOKEN, or with --username.
    """
    base = base_address(url)
    area = parse_box(bbox)
    tokens = token_source(base, username)
    console = Console()
    try:
        asyncio.run(_run(base, tokens, area, console, once or not console.is_terminal))
    except KeyboardInterrupt:
        pass
    except (Refused, LoginFailed) as error:
        fail(error)
    except httpx.HTTPStatusError as error:
        fail(f"{base} answered {error.response.status_code}: {_detail(error.response)}")
    except httpx.HTTPError as error:
        fail(f"{base} cannot be reached: {error or type(error).__name__}")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def base_address(url: str) -> str:
    """``http(s)://host[:port][/prefix]`` from what was typed."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        fail(f"{url}: expected an address such as http://localhost:6543")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def parse_box(bbox: str | None) -> list[float] | None:
    """West, south, east and north from what was typed."""
    if bbox is None:
        return None
    try:
        area = [float(part) for part in bbox.split(",")]
    except ValueError:
        area = []
    if len(area) != 4:
        fail(f"--bbox {bbox}: expected west,south,east,north in degrees")
    return area


def token_source(base: str, username: str | None) -> TokenSource:
    """The credential that the environment or the person at the terminal gives."""
    if username is not None:
        password = os.environ.get("SKYWATCH_PASSWORD") or click.prompt("Password", hide_input=True, err=True)
        return LoginTokens(base, username, password)
    given = (os.environ.get(name) for name in TOKEN_VARIABLES)
    return FixedToken(next((token for token in given if token), None))


def channel_addresses(base: str, announced: dict[str, Any]) -> list[str]:
    """Where the channel may be: what the service announces, else the same address, else the default port."""
    path = str(announced.get("path") or "/ws")
    if announced.get("url"):
        return [str(announced["url"]).rstrip("/") + path]
    parts = urlsplit(base)
    scheme = "wss" if parts.scheme == "https" else "ws"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    beside = f"{scheme}://{host}:{DEFAULT_CHANNEL_PORT}{path}"
    same = f"{scheme}://{parts.netloc}{path}"
    # Behind TLS there is a proxy that has everything on one address; without one the channel has its own port.
    return [same, beside] if scheme == "wss" else [beside, same]


async def _run(base: str, tokens: TokenSource, area: list[float] | None, console: Console, once: bool) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=TIMEOUT_S) as http:
        config = await http.get("/api/v1/auth/config")
        config.raise_for_status()
        address = await _first_open(channel_addresses(base, config.json().get("realtime") or {}))
        client = Client(address, ["aircraft"], tokens=tokens, bbox=area) if address is not None else None
        picture = Picture([], "nothing yet")
        tasks = [asyncio.create_task(_poll(http, tokens, area, picture, client))]
        if client is not None:
            tasks.append(asyncio.create_task(_listen(client, picture)))
        try:
            if once:
                await _first_picture(picture, tasks)
                console.print(table(picture.aircraft, picture.source, rows=None, width=console.width))
            else:
                await _draw(console, picture, tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if isinstance(tokens, LoginTokens):
                await tokens.close()


async def _first_open(addresses: list[str]) -> str | None:
    for address in addresses:
        parts = urlsplit(address)
        port = parts.port or (443 if parts.scheme == "wss" else 80)
        with contextlib.suppress(OSError, TimeoutError):
            _, writer = await asyncio.wait_for(asyncio.open_connection(parts.hostname, port), TIMEOUT_S)
            writer.close()
            return address
    return None


async def _listen(client: Client, picture: Picture) -> None:
    held = client.lists["aircraft"]
    async for _ in client:
        picture.aircraft, picture.source, picture.at = list(held.aircraft.values()), "live", time.monotonic()


async def _poll(
    http: httpx.AsyncClient, tokens: TokenSource, area: list[float] | None, picture: Picture, client: Client | None
) -> None:
    """Ask for the list while the channel gives none."""
    if client is not None:
        await asyncio.sleep(CHANNEL_PATIENCE_S)
    box = {"bbox": ",".join(f"{part:g}" for part in area)} if area is not None else {}
    while True:
        if client is None or (not client.connected and time.monotonic() - picture.at > CHANNEL_PATIENCE_S):
            token = await tokens.token()
            scheme = "ApiKey" if (token or "").startswith("sk_") else "Bearer"
            answer = await http.get(
                "/api/v1/aircraft",
                params={"limit": "1000", **box},
                headers={"Authorization": f"{scheme} {token}"} if token else {},
            )
            if answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                answer.raise_for_status()
                picture.aircraft, picture.source = answer.json()["aircraft"], "asked once a second"
        await asyncio.sleep(POLL_EVERY_S)


async def _first_picture(picture: Picture, tasks: list[asyncio.Task[None]]) -> None:
    while picture.source == "nothing yet":
        await asyncio.sleep(0.02)
        _raise_failures(tasks)


async def _draw(console: Console, picture: Picture, tasks: list[asyncio.Task[None]]) -> None:
    with Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            _raise_failures(tasks)
            rows = max(1, console.size.height - 5)
            live.update(table(picture.aircraft, picture.source, rows, console.width), refresh=True)
            await asyncio.sleep(DRAW_EVERY_S)


def _raise_failures(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.reason_phrase
