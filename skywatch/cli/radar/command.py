"""``skywatch radar URL``: the live list in a terminal, over the real-time channel or, failing that, REST."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import click
import httpx
from rich.console import Console
from rich.live import Live

from skywatch.cli.radar.columns import UNITS, Trends
from skywatch.cli.radar.keys import Keys, keyboard, read
from skywatch.cli.radar.table import screen, whole
from skywatch.cli.radar.view import SORTS, Screen
from skywatch.client import Client, FixedToken, LoginTokens, Refused, TokenSource
from skywatch.client.channel import PERMISSION_DENIED
from skywatch.client.tokens import LoginFailed
from skywatch.core.terminal.command import fail

TOKEN_VARIABLES = ("SKYWATCH_API_KEY", "SKYWATCH_TOKEN")
DEFAULT_CHANNEL_PORT = 6544
TIMEOUT_S = 5.0
DRAW_EVERY_S = 0.5
NOTHING_YET = "nothing yet"
POLL_EVERY_S = 1.0
# Routes are judged once a minute, and are no part of the list unless they are asked for.
ROUTES_EVERY_S = 15.0
DENIED_EVERY_S = 0.1
# Without the channel for so long, the list is asked for instead.
CHANNEL_PATIENCE_S = 2.0


@dataclass
class Picture:
    """What is shown, and where it comes from; ``routes`` by address."""

    aircraft: list[dict[str, Any]]
    source: str
    at: float = 0.0
    routes: dict[str, str] = field(default_factory=dict)

    def shown(self) -> list[dict[str, Any]]:
        """The aircraft with their routes."""
        return [{**entry, "route": self.routes.get(str(entry.get("hex")))} for entry in self.aircraft]


@click.command()
@click.argument("url", metavar="URL")
@click.option("--bbox", metavar="W,S,E,N", help="only this area (degrees)")
@click.option("--username", help="log in with this name; the password is asked for or read from SKYWATCH_PASSWORD")
@click.option("--sort", type=click.Choice(SORTS), default="distance", show_default=True, help="begin sorted by this")
@click.option("--filter", "words", default="", help="only aircraft with these words, such as 'swr a320' or military")
@click.option("--units", type=click.Choice([*UNITS]), default="aviation", show_default=True, help="ft kt nm, or others")
@click.option("--once", is_flag=True, help="print the list once and end (the default where there is no terminal)")
def radar(url: str, bbox: str | None, username: str | None, sort: str, words: str, units: str, once: bool) -> None:
    """Show the live list of the service at URL (such as http://localhost:6543) in this terminal; ? shows its keys.

    Comes anonymously, with an API key or token from SKYWATCH_API_KEY or SKYWATCH_TOKEN, or with --username.
    """
    base = base_address(url)
    area = parse_box(bbox)
    tokens = token_source(base, username)
    anonymous = isinstance(tokens, FixedToken) and not tokens.is_given
    view = Screen(sort=sort, filter=words, units_name=units)
    console = Console()
    try:
        asyncio.run(_run(base, tokens, area, console, view, once or not console.is_terminal))
    except KeyboardInterrupt:
        pass
    except NotAllowed as error:
        fail(_closed(base, anonymous, str(error)))
    except Refused as error:
        if error.code != PERMISSION_DENIED and not anonymous:
            fail(error)
        fail(_closed(base, anonymous, str(error)))
    except LoginFailed as error:
        fail(error)
    except httpx.HTTPStatusError as error:
        fail(f"{base} answered {error.response.status_code}: {_detail(error.response)}")
    except httpx.HTTPError as error:
        fail(f"{base} cannot be reached: {error or type(error).__name__}")
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


class NotAllowed(Exception):
    """The service does not show its aircraft to this caller; ``str()`` is why."""


def _closed(base: str, anonymous: bool, why: str) -> str:
    if anonymous:
        return (
            f"{base} shows its aircraft to people who are logged in: log in with --username NAME, "
            "or put an API key into SKYWATCH_API_KEY"
        )
    return f"{base} does not show its aircraft to this user: {why} (an administrator grants aircraft.view)"


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
    own_port = f"{scheme}://{host}:{DEFAULT_CHANNEL_PORT}{path}"
    same = f"{scheme}://{parts.netloc}{path}"
    # Behind TLS there is a proxy that has everything on one address; without one the channel has its own port.
    return [same, own_port] if scheme == "wss" else [own_port, same]


async def _run(
    base: str, tokens: TokenSource, area: list[float] | None, console: Console, view: Screen, once: bool
) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=TIMEOUT_S) as http:
        config = await http.get("/api/v1/auth/config")
        config.raise_for_status()
        address = await _first_open(channel_addresses(base, config.json().get("realtime") or {}))
        client = Client(address, ["aircraft"], tokens=tokens, bbox=area) if address is not None else None
        picture = Picture([], NOTHING_YET)
        tasks = [asyncio.create_task(_poll(http, tokens, area, picture, client))]
        routes = asyncio.create_task(_follow_routes(http, tokens, area, picture))
        if client is not None:
            tasks.append(asyncio.create_task(_listen(client, picture)))
            tasks.append(asyncio.create_task(_notice_denial(client)))
        try:
            if once:
                await _first_picture(picture, tasks)
                await _ask_routes(http, tokens, area, picture)
                console.print(whole(picture.shown(), picture.source, view, console.width))
            else:
                with keyboard() as descriptor:
                    await _draw(console, picture, view, tasks, descriptor)
        finally:
            for task in (*tasks, routes):
                task.cancel()
            await asyncio.gather(*tasks, routes, return_exceptions=True)
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
    aircraft_list = client.lists["aircraft"]
    async for _ in client:
        picture.aircraft, picture.source, picture.at = list(aircraft_list.aircraft.values()), "live", time.monotonic()


async def _notice_denial(client: Client) -> None:
    """A channel that is open but does not give the list is no reason to wait for it."""
    while "aircraft" not in client.denied:
        await asyncio.sleep(DENIED_EVERY_S)
    raise NotAllowed("Permission denied")


async def _poll(
    http: httpx.AsyncClient, tokens: TokenSource, area: list[float] | None, picture: Picture, client: Client | None
) -> None:
    """Ask for the list while the channel gives none."""
    if client is not None:
        await asyncio.sleep(CHANNEL_PATIENCE_S)
    while True:
        if client is None or (not client.connected and time.monotonic() - picture.at > CHANNEL_PATIENCE_S):
            token = await tokens.token()
            answer = await _ask(http, token, area)
            if answer.status_code == httpx.codes.FORBIDDEN or (
                answer.status_code == httpx.codes.UNAUTHORIZED and token is None
            ):
                raise NotAllowed(_detail(answer))
            if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
                await asyncio.sleep(float(answer.headers["Retry-After"]))
                continue
            if answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR:
                answer.raise_for_status()
                picture.aircraft, picture.source = answer.json()["aircraft"], "asked once a second"
        await asyncio.sleep(POLL_EVERY_S)


async def _ask(
    http: httpx.AsyncClient, token: str | None, area: list[float] | None, **parameters: str
) -> httpx.Response:
    """Ask for the list of an area."""
    box = {"bbox": ",".join(f"{part:g}" for part in area)} if area is not None else {}
    scheme = "ApiKey" if (token or "").startswith("sk_") else "Bearer"
    headers = {"Authorization": f"{scheme} {token}"} if token else {}
    return await http.get("/api/v1/aircraft", params={"limit": "1000", **box, **parameters}, headers=headers)


async def _follow_routes(
    http: httpx.AsyncClient, tokens: TokenSource, area: list[float] | None, picture: Picture
) -> None:
    while True:
        await _ask_routes(http, tokens, area, picture)
        await asyncio.sleep(ROUTES_EVERY_S)


async def _ask_routes(http: httpx.AsyncClient, tokens: TokenSource, area: list[float] | None, picture: Picture) -> None:
    """Ask for the routes; without an answer the column stays as it is, and the list says what is wrong."""
    with contextlib.suppress(httpx.HTTPError, LoginFailed):
        answer = await _ask(http, await tokens.token(), area, fields="route")
        if answer.is_success:
            listed = answer.json()["aircraft"]
            picture.routes = {entry["hex"]: entry["route"] for entry in listed if entry.get("route")}


async def _first_picture(picture: Picture, tasks: list[asyncio.Task[None]]) -> None:
    while picture.source == NOTHING_YET:
        await asyncio.sleep(0.02)
        _raise_failures(tasks)


async def _draw(
    console: Console, picture: Picture, view: Screen, tasks: list[asyncio.Task[None]], descriptor: int | None
) -> None:
    trends, pressed, keys = Trends(), asyncio.Event(), Keys()
    loop = asyncio.get_running_loop()

    def on_keys() -> None:
        data = read(descriptor) if descriptor is not None else b""
        if not data and descriptor is not None:
            # The terminal is gone; reading it again and again would keep the processor busy.
            loop.remove_reader(descriptor)
            view.ended = True
        for name in keys.names(data):
            view.press(name)
            # The next key means the list as this one has left it.
            view.arrange(picture.shown(), view.rows)
        pressed.set()

    if descriptor is not None:
        loop.add_reader(descriptor, on_keys)
    try:
        with Live(console=console, screen=True, auto_refresh=False) as live:
            while not view.ended:
                _raise_failures(tasks)
                trends.update(picture.aircraft, time.monotonic())
                size = console.size
                shown = picture.shown()
                live.update(screen(shown, picture.source, view, trends, size.width, size.height), refresh=True)
                pressed.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(pressed.wait(), DRAW_EVERY_S)
    finally:
        if descriptor is not None:
            loop.remove_reader(descriptor)


def _raise_failures(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return answer.reason_phrase
