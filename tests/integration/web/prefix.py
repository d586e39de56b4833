"""nginx before a service, which passes on what is below a path of its site."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.integration.web.pages import House
from tests.servers import skip_or_fail
from tests.waiting import PATIENCE_S, until

PREFIX = "/some/prefix"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
SITE = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
  server {{
    listen 127.0.0.1:{port};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    {named}
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Upgrade $http_upgrade;
    location = / {{ default_type text/html; return 200 '<iframe src="{prefix}/"></iframe>'; }}
    location {prefix}/ {{ proxy_pass http://127.0.0.1:{api}/; }}
    location {prefix}/ws {{ proxy_pass http://127.0.0.1:{channel}/ws; }}
    location {prefix}/socket.io/ {{ proxy_pass http://127.0.0.1:{channel}/socket.io/; }}
  }}
}}
"""


@contextmanager
def below_prefix(house: House, folder: Path, port: int, header: str | None) -> Iterator[str]:
    """The address of nginx at this port, which names the path in ``header``, if any; skips where there is no nginx."""
    if NGINX is None:
        skip_or_fail("nginx")
    config = folder / "nginx.conf"
    named = f"proxy_set_header {header} {PREFIX};" if header else ""
    ports = {"port": port, "api": house.port, "channel": house.realtime_port}
    config.write_text(SITE.format(folder=folder, named=named, prefix=PREFIX, **ports))
    nginx = subprocess.Popen([str(NGINX), "-p", str(folder), "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        until(lambda: _answers(port), "nginx")
        yield f"http://127.0.0.1:{port}"
    finally:
        nginx.terminate()
        nginx.wait(PATIENCE_S)


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}{PREFIX}/api/v1/auth/config", timeout=PATIENCE_S).is_success
    except httpx.TransportError:
        return False
