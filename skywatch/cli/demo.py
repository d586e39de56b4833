"""``skywatch demo``: the embedded default with simulated aircraft, in a temporary folder that is removed at the end.

For a first look without a checkout: ``uvx --from skywatch-*.whl skywatch demo``.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from skywatch.cli.init import init
from skywatch.cli.serve import serve
from skywatch.cli.setup_link import page_address
from skywatch.core.network.addresses import is_loopback
from skywatch.core.terminal.command import INTERRUPTED, SIGNALS, fail, interrupt, one_line_errors
from skywatch.http.settings import HttpSettings
from skywatch.settings import split_listen

HOST, PORT, REALTIME_PORT = "127.0.0.1", 6543, 6544
# Of the environment only these: a database or receivers of a real installation are none of a demonstration's.
VARIABLES = ("LISTEN", "LISTEN_FILE", "REALTIME_LISTEN", "REALTIME_LISTEN_FILE")
FOLDER_PREFIX = "skywatch-demo-"
INI = """[app:main]
use = egg:skywatch
environment = development
auth_mode = {auth_mode}
database_url = sqlite:///%(here)s/skywatch.sqlite
bus = memory
roles = api tracker realtime worker
listen = {listen}
realtime_listen = {realtime_listen}
"""
# The page is opened if the service answers within this time (s).
OPEN_WITHIN_S = 60.0
RETRY_S = 0.2


@click.command()
@click.option("--browser/--no-browser", default=True, help="Open the page where there is a desktop (the default).")
@click.pass_context
@one_line_errors
def demo(context: click.Context, browser: bool) -> None:
    """Show simulated aircraft: SQLite in a temporary folder, removed at the end. LISTEN=host:port, else port 6543."""
    for number in SIGNALS:
        signal.signal(number, interrupt)
    root = context.find_root()
    try:
        listen, realtime_listen = _addresses(root.obj)
        root.obj = functools.partial(root.obj, environ={})
        with _temporary_folder() as folder:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
            _run(context, folder, listen, realtime_listen, browser)
    except KeyboardInterrupt:
        sys.exit(0)


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder that is removed at the end, whatever ends the demonstration; no further signal interrupts that.

    Signals are blocked until the block unblocks them: none comes between making the folder and entering the block.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        folder = tempfile.mkdtemp(prefix=FOLDER_PREFIX)
    except OSError as error:
        fail(f"the demonstration needs a temporary folder (TMPDIR): {error}")
    try:
        yield Path(folder)
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        shutil.rmtree(folder, ignore_errors=True)


def _run(context: click.Context, folder: Path, listen: str, realtime_listen: str, browser: bool) -> None:
    """Create the installation and run it until interrupted."""
    auth_mode = "public" if is_loopback(split_listen(listen)[0]) else "private"
    ini = folder / "demo.ini"
    text = INI.format(auth_mode=auth_mode, listen=listen, realtime_listen=realtime_listen)
    ini.write_text(text, encoding="utf-8")
    page = page_address(listen)
    click.echo(f"Skywatch shows simulated aircraft at {page} (Ctrl-C ends this and removes {folder}).")
    if auth_mode != "public":
        click.echo(f"Others may reach {listen}: sign in to see the sky.")
    options = {"receiver": None, "station": None, "listen": None}
    _invoke(context, init, ini=ini, new=False, **options, first_administrator=True, demonstration=True)
    if browser and has_desktop(os.environ):
        threading.Thread(target=_open, args=(page,), name="browser", daemon=True).start()
    _invoke(context, serve, ini=ini, roles=())


def _invoke(context: click.Context, command: click.Command, **options: Any) -> None:
    """Run another command; raises KeyboardInterrupt where a signal ended it early, which is no fault here."""
    try:
        context.invoke(command, **options)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            raise KeyboardInterrupt from None
        raise


def _addresses(load: Any) -> tuple[str, str]:
    """Where the service and its real-time channel listen; raises SettingsError for what the environment has wrong."""
    environ = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    settings, _ = load({"environment": "development"}, environ)
    http = settings.of(HttpSettings)
    listen = http.listen if "listen" in settings.sources else f"{HOST}:{_port(HOST, PORT)}"
    if "realtime_listen" in settings.sources:
        return listen, http.realtime_listen
    host, port = split_listen(listen)
    # The port of the service is not bound yet, and not to be given to the channel.
    realtime_port = _port(host, REALTIME_PORT, taken=port)
    return listen, f"[{host}]:{realtime_port}" if ":" in host else f"{host}:{realtime_port}"


def _port(host: str, preferred: int, taken: int | None = None) -> int:
    """The port if it is free, else one that the system chooses."""
    for port in (preferred, 0, 0):
        if port == taken:
            continue
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            with socket.create_server((host, port), family=family) as server:
                free: int = server.getsockname()[1]
        except OSError:
            continue
        if free != taken:
            return free
    # Nothing can listen there: the start of the service says why.
    return preferred


def has_desktop(environ: Mapping[str, str]) -> bool:
    """Whether a browser's window can be shown to whoever runs this."""
    if sys.platform in ("darwin", "win32"):
        return "SSH_CONNECTION" not in environ
    return bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


def _open(page: str) -> None:
    """Open the page as soon as the service answers."""
    deadline = time.monotonic() + OPEN_WITHIN_S
    while time.monotonic() < deadline:
        time.sleep(RETRY_S)
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(page, timeout=OPEN_WITHIN_S).close()
        except OSError:
            continue
        webbrowser.open(page)
        return
