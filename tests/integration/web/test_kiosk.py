"""The kiosk in a real browser: the map alone, in a frame where it may be, with nothing stored and nobody signed in."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.ports import free_port

DRAWN = "return (document.querySelector('sw-map')?.stage?.picture?.count ?? 0) > 5"
# Notes each look at what a browser stores, before any script of the page.
WATCH = """
window.touched = [];
for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
  const kept = window[name];
  Object.defineProperty(window, name, { get() { touched.push(name); return kept; } });
}
const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
Object.defineProperty(document, 'cookie', { get() { touched.push('cookie'); return cookie.get.call(document); } });
"""


@contextmanager
def framing(port, shown):
    """Another origin, whose page shows the address ``shown["address"]`` in a frame.

    One server for all addresses: a browser's connection made ahead outlives the server that took it.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = f'<iframe src="{shown["address"]}" width="900" height="600"></iframe>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{port}/"
    finally:
        server.shutdown()
        server.server_close()


def test_the_kiosk_shows_the_map_alone_and_touches_no_storage(page, service):
    running = service(auth_mode="public", kiosk_views="Zurich 47.46,8.55,9,5; Alps 46.5,9.0,7,5")
    running.start()
    page.before_scripts(WATCH)
    page.size(1280, 800)
    page.visit(running, "/?kiosk=1")
    page.wait_for(DRAWN, "aircraft on the map")
    assert page.run("return document.querySelector('header, nav, sw-list, .person')") is None
    page.wait_for("return document.querySelector('.kiosk-name')?.textContent === 'Zurich'", "the first view")
    page.wait_for(
        "return document.querySelector('.kiosk-name')?.textContent === 'Alps'"
        " && Math.abs(document.querySelector('sw-map').map.getView().getZoom() - 7) < 0.01",
        "the second view",
    )
    assert page.run("return touched") == []
    assert page.run("return location.hash") == ""


def test_the_kiosk_shows_nothing_of_the_rights_of_who_is_signed_in(page, house):
    page.sign_in(house, "admin")
    page.wait_for_element(".person")
    page.visit(house, "/?kiosk=1")
    page.wait_for_element(".kiosk-note")
    assert page.run("return document.querySelector('sw-map')") is None


def test_a_named_origin_frames_the_kiosk_and_no_other_page(page, service):
    port = free_port()
    running = service(auth_mode="public", embed_origins=f"http://localhost:{port}")
    running.start()
    own = f"http://127.0.0.1:{running.port}"
    shown = {}
    with framing(port, shown) as address:
        for path, is_shown in (("/?kiosk=1", True), ("/", False), ("/console", False)):
            shown["address"] = f"{own}{path}"
            page.open("about:blank")
            page.open(address)
            page.wait_for("return document.readyState === 'complete'", "the page")
            # What may not be framed is a page of the browser's own.
            assert page.run_in_frame("iframe", "return location.href").startswith(own) == is_shown, path
