// This browser and Web Push: whether it can, why it cannot, and its subscription at the service.
import { t } from "../../../i18n/i18n";
import { call } from "../../../session/api";
import type { Body, Schemas } from "../../../session/operations";
import { keeper } from "../../../shell/keeper";

/** Why this browser takes no Web Push; null where it does. */
export function obstacle(): string | null {
  if (!window.isSecureContext) return t("push.insecure");
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window))
    return t("push.unable");
  if (Notification.permission === "denied") return t("push.denied");
  return null;
}

export async function subscription(): Promise<PushSubscription | null> {
  if (!window.isSecureContext || !("serviceWorker" in navigator) || !("PushManager" in window)) return null;
  return (await navigator.serviceWorker.getRegistration())?.pushManager.getSubscription() ?? null;
}

/** Ask the person, then the browser's push service, then tell the service where this browser is reached. */
export async function subscribe(): Promise<Schemas["BrowserRecord"]> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(t("push.denied"));
  const registration = await keeper();
  if (!registration) throw new Error(t("push.unable"));
  const { public_key: key } = await call("GET alerts/browsers/key/");
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) });
  // A subscription for messages has both.
  const { endpoint, keys } = made.toJSON() as Pick<Body<"POST alerts/browsers/">, "endpoint" | "keys">;
  return call("POST alerts/browsers/", { body: { name: nameOfBrowser(), endpoint, keys } });
}

export async function unsubscribe(): Promise<void> {
  await (await subscription())?.unsubscribe();
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}

function nameOfBrowser(): string {
  const agent = navigator.userAgent;
  const program = ["Edg", "OPR", "Firefox", "Chrome", "Safari"].find((name) => agent.includes(`${name}/`)) ?? "Browser";
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) => agent.includes(name)) ?? "";
  return [{ Edg: "Edge", OPR: "Opera" }[program] ?? program, system].filter(Boolean).join(", ");
}
