// The service worker: keeps the application's own files, whose names change with their content, and nothing else. What
// the API answers is never kept.
const STORE = "skywatch-{{version}}";
const ASSETS = new URL("assets/", self.registration.scope).href;

self.addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith("skywatch-") && name !== STORE) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(ASSETS)) return;
  const answer = async () => {
    const store = await caches.open(STORE);
    const kept = await store.match(event.request);
    if (kept) return kept;
    const fresh = await fetch(event.request);
    if (fresh.ok) await store.put(event.request, fresh.clone());
    return fresh;
  };
  event.respondWith(answer());
});

self.addEventListener("push", (event) => {
  const { title = "Skywatch", body = "", tag, url = "./" } = event.data?.json() ?? {};
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon: "icon-192.png", data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  // Only an address within this application is opened.
  const url = new URL(event.notification.data?.url ?? "./", self.registration.scope);
  if (url.href.startsWith(self.registration.scope)) event.waitUntil(self.clients.openWindow(url.href));
});
