"""What goes on while nobody looks: a tab that slept, and Web Push that comes meanwhile."""

from __future__ import annotations

import json

from tests.integration.web.pages import LIVE
from tests.waiting import until

# The worker's clock goes on by an hour when it is asked to, as after a sleep; counts what the worker connects.
SLEEP = """
const Plain = window.Worker;
window.sockets = 0;
window.Worker = class extends Plain {
  constructor(url, options) {
    const source = `
      import ${JSON.stringify(String(url))};
      const now = Date.now.bind(Date), Socket = self.WebSocket;
      let ahead = 0;
      Date.now = () => now() + ahead;
      self.WebSocket = class extends Socket {
        constructor(...asked) { super(...asked); self.postMessage({ type: 'connects' }); }
      };
      self.addEventListener('message', ({ data }) => { if (data.type === 'sleep') ahead += 3600_000; });`;
    super(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), options);
    window.worker = this;
    this.addEventListener('message', ({ data }) => { if (data.type === 'connects') window.sockets += 1; });
  }
};
"""


def test_a_tab_that_slept_an_hour_comes_back_with_one_snapshot(browser, sky):
    page = browser()
    page.cdp("Page.setBypassCSP", enabled=True)
    page.before_scripts(SLEEP)
    try:
        page.open_map(sky)
        page.cdp("Page.setWebLifecycleState", state="frozen")
        page.cdp("Page.setWebLifecycleState", state="active")
        # A loaded machine may have needed a second connection before.
        connections = page.run("return window.sockets")
        page.run("window.worker.postMessage({ type: 'sleep' })")
        page.wait_for(f"return window.sockets > {connections}", "a new connection")
        page.wait_for(LIVE, "aircraft")
        page.run(
            "window.frames = 0; window.worker.addEventListener('message', (e) => frames += e.data.type === 'frame')"
        )
        page.wait_for("return window.frames > 1", "pictures go on")
        connections = page.run("return window.sockets")
        page.wait_for("return window.frames > 4", "pictures stay")
        assert page.run("return window.sockets") == connections
        assert page.run("return document.querySelector('.banner')") is None
    finally:
        page.cdp("Page.setBypassCSP", enabled=False)


def test_web_push_becomes_a_notification_that_leads_into_the_application(browser, sky):
    # A browser of its own: the service worker stays.
    page = browser()
    page.open_map(sky)
    origin = f"http://127.0.0.1:{sky.port}"
    page.cdp("Browser.grantPermissions", origin=origin, permissions=["notifications"])
    page.cdp("ServiceWorker.enable")
    page.run("navigator.serviceWorker.register('keeper.js')")
    page.wait_for("return navigator.serviceWorker.controller !== null", "the service worker")
    message = {"title": "<b>Low</b>", "body": "HB-ZRS at 900 ft", "tag": "rule-1", "url": "./#/alerts"}

    def notifications():
        return page.run_async(
            "const done = arguments[arguments.length - 1];"
            "navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) =>"
            " done(all.map(({ title, body, tag, data }) => ({ title, body, tag, url: data.url }))))"
        )

    def arrives():
        # The browser numbers registrations, and tells the number only in events: an unknown one is ignored.
        for number in range(12):
            page.cdp(
                "ServiceWorker.deliverPushMessage", origin=origin, registrationId=str(number), data=json.dumps(message)
            )
        return notifications()

    assert until(arrives, "the notification") == [message]
