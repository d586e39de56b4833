// The start of the page: texts, session, the worker with its channel, and the frame of the application.
import "./style/fonts.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/map.css";
import "./style/list.css";
import "./style/page.css";
import "./style/parts.css";
import { FEATURES } from "./features";
import { followTheme, preferences } from "./core/preferences";
import { preferredLanguage, useLanguage } from "./i18n/i18n";
import { shareFilter } from "./list/filter_address";
import { live } from "./live/live";
import type { Station } from "./live/messages";
import { simulated } from "./live/simulated";
import { session } from "./session/session";
import { register } from "./shell/register";

const KEEP_AFTER_MS = 5000;

async function findStation(): Promise<void> {
  if (!session.canView("aircraft")) return;
  try {
    const token = session.access;
    const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(new URL("data/receiver.json", document.baseURI), { headers, cache: "no-store" });
    if (!answer.ok) return;
    const { lat, lon, simulated: isSimulated } = (await answer.json()) as Partial<Station> & { simulated?: boolean };
    simulated.set(isSimulated === true);
    if (typeof lat === "number" && typeof lon === "number") live.station.set({ lat, lon });
  } catch {
    // Without its station the map begins where the address or the last aircraft is.
  }
}

/** Ask for what the map needs: before, it would take connections from what the list needs. */
function preloadMap(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[data-rel]")) link.rel = link.dataset.rel!;
}

async function start(): Promise<void> {
  followTheme();
  register(FEATURES);
  // The session, the channel and the station need no script of the frame, which is still on its way.
  session.status.subscribe(() => void findStation());
  live.start();
  shareFilter();
  const who = session.start();
  await useLanguage(preferredLanguage(preferences.value.language));
  preloadMap();
  await import("./shell/app");
  document.getElementById("waiting")?.remove();
  await who;
  const { listen } = await import("./shell/bell");
  listen();
  // What the first view needs goes first.
  setTimeout(() => void import("./shell/keeper").then(({ keeper }) => keeper()), KEEP_AFTER_MS);
}

void start().catch((error: unknown) => {
  document.getElementById("waiting")!.textContent = `Skywatch cannot start: ${String(error)}`;
});
