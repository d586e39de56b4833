// The start of the page: texts, session, the worker with its channel, and the frame of the application.
import "./style/fonts.css";
import "../../skywatch/web/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/navigation.css";
import "./style/map.css";
import "./style/panel.css";
import "./style/layers.css";
import "./style/list.css";
import "./style/page.css";
import "./style/parts.css";
import { FEATURES } from "./features";
import { kiosk } from "./core/kiosk";
import { followTheme, preferences } from "./core/preferences";
import { preferredLanguage, useLanguage } from "./i18n/i18n";
import { shareFilter } from "./list/filter_address";
import { live } from "./live/live";
import type { Station } from "./live/messages";
import { simulated } from "./live/simulated";
import { dataFile } from "./session/data";
import { session } from "./session/session";
import { register } from "./shell/register";

const KEEP_AFTER_MS = 5000;
// A service that has just started has no picture yet.
const AGAIN_MS = 2000;

interface Receiver extends Partial<Station> {
  simulated?: boolean;
  outlineJson?: boolean;
}

/** Without its station the map begins where the address or the last aircraft is. */
async function findStation(): Promise<void> {
  if (!session.canView("aircraft")) return;
  const receiver = await dataFile<Receiver>("receiver.json");
  if (!receiver) {
    setTimeout(() => void findStation(), AGAIN_MS);
    return;
  }
  const { lat, lon, simulated: isSimulated, outlineJson = false } = receiver;
  simulated.set(isSimulated === true);
  if (typeof lat === "number" && typeof lon === "number") live.station.set({ lat, lon });
  live.past.offer(outlineJson);
}

/** Ask for what the map needs: before, it would take connections from what the list needs. */
function preloadMap(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[data-rel]")) link.rel = link.dataset.rel!;
}

async function start(): Promise<void> {
  followTheme();
  register(FEATURES);
  // The session, the channel and the station need no script of the frame, which is still on its way.
  let station = Promise.resolve();
  session.status.subscribe(() => void (station = findStation()));
  live.start();
  if (!kiosk) shareFilter();
  const who = session.start();
  await useLanguage(preferredLanguage(preferences.value.language));
  preloadMap();
  if (kiosk) {
    await import("./shell/kiosk");
    document.querySelector("sw-app")!.replaceWith(document.createElement("sw-kiosk"));
    document.getElementById("waiting")?.remove();
    return;
  }
  await import("./shell/app");
  document.getElementById("waiting")?.remove();
  await who;
  // Whether the aircraft are simulated is known before anybody is disturbed with them.
  await station;
  const { listen } = await import("./shell/bell");
  listen();
  const { watchReception } = await import("./shell/reception");
  watchReception();
  const { openConsoleLinks } = await import("./session/handover");
  openConsoleLinks();
  // What the first view needs goes first.
  setTimeout(() => void import("./shell/keeper").then(({ keeper }) => keeper()), KEEP_AFTER_MS);
}

void start().catch((error: unknown) => {
  document.getElementById("waiting")!.textContent = `Skywatch cannot start: ${String(error)}`;
});
