// The service worker: keeps the application's own files, whose names change with their content, so that the page opens
// without the network, and shows Web Push. What the API answers is never kept.
const SHELL = ["{{files}}"];
const PAGE = self.registration.scope;
// Other installations may be below other paths of the same origin: each keeps and removes its own files only.
const STORES = `skywatch ${new URL(PAGE).pathname} `;
const STORE = `${STORES}{{version}}`;
const ASSETS = new URL("assets/", PAGE).href;

self.addEventListener("install", (event) => {
  const fill = async () => {
    const store = await caches.open(STORE);
    await store.put(PAGE, await whole(new Request(PAGE, { cache: "reload" })));
    await Promise.all(
      SHELL.map(async (name) => {
        const address = new URL(name, PAGE).href;
        if (!(await store.match(address))) await store.put(address, await whole(address));
      }),
    );
    await self.skipWaiting();
  };
  event.waitUntil(fill());
});

async function whole(request) {
  const answer = await fetch(request);
  if (!answer.ok) throw new Error(`${answer.url} cannot be kept: ${answer.status}`);
  return answer;
}

self.addEventListener("activate", (event) => {
  const clean = async () => {
    // Those with a hyphen are of versions before the path was part of the name.
    const isOld = (name) => (name.startsWith(STORES) && name !== STORE) || name.startsWith("skywatch-");
    for (const name of (await caches.keys()).filter(isOld)) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const { origin, pathname } = new URL(request.url);
  if (request.mode === "navigate" && origin + pathname === PAGE) event.respondWith(page(request));
  else if (request.url.startsWith(ASSETS)) event.respondWith(asset(request));
});

/** The page as it is now; the kept one only where nobody answers. */
async function page(request) {
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await (await caches.open(STORE)).put(PAGE, fresh.clone());
    return fresh;
  } catch (error) {
    const kept = await (await caches.open(STORE)).match(PAGE);
    if (kept) return kept;
    throw error;
  }
}

async function asset(request) {
  const store = await caches.open(STORE);
  const kept = await store.match(request);
  if (kept) return kept;
  const fresh = await fetch(request);
  if (fresh.ok) await store.put(request, fresh.clone());
  return fresh;
}

self.addEventListener("push", (event) => {
  const { title = "Skywatch", body = "", tag, url = "./#/alerts" } = event.data?.json() ?? {};
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon: "icon-192.png", data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  // Only an address within this application is opened.
  const url = new URL(event.notification.data?.url ?? "./", PAGE);
  if (!url.href.startsWith(PAGE)) return;
  const show = async () => {
    const open = (await self.clients.matchAll({ type: "window" })).find((client) => client.url.startsWith(PAGE));
    if (!open) return self.clients.openWindow(url.href);
    await open.focus();
    return open.navigate(url.href);
  };
  event.waitUntil(show());
});
