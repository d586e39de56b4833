// The service worker: keeps the application's own files for a start without the network, and takes Web Push. Browsers
// allow one only in a secure context.
let registration: Promise<ServiceWorkerRegistration | null> | null = null;

export function keeper(): Promise<ServiceWorkerRegistration | null> {
  registration ??= register();
  return registration;
}

async function register(): Promise<ServiceWorkerRegistration | null> {
  if (!window.isSecureContext || !("serviceWorker" in navigator)) return null;
  try {
    await navigator.serviceWorker.register(new URL("keeper.js", document.baseURI), {
      scope: "./",
      updateViaCache: "none",
    });
    return await navigator.serviceWorker.ready;
  } catch (error) {
    console.warn("The page is not kept for a start without the network:", error);
    return null;
  }
}
