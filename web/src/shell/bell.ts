// Tells the person what happens while they look at something else: alerts of their own, and dangerous safety events.
import { Cell } from "../core/cell";
import { place } from "../core/address";
import { preferences } from "../core/preferences";
import { t, word } from "../i18n/i18n";
import { live } from "../live/live";
import { call } from "../session/api";
import { session } from "../session/session";
import { announce, inform } from "../ui/announce";

/** Alerts of this person that nobody has acknowledged. */
export const unread = new Cell<number>(0);
const COUNT_AFTER_MS = 400;
const TONES_HZ = [880, 1175];
const TONE_S = 0.13;
let due: ReturnType<typeof setTimeout> | undefined;
let sound: AudioContext | null = null;

function count(): void {
  due ??= setTimeout(() => {
    due = undefined;
    if (!session.user.value || !session.canView("alerts")) {
      unread.set(0);
      return;
    }
    call<{ count: number }>("alerts/history", { query: { acknowledged: false, limit: 1 } }).then(
      ({ count: open }) => unread.set(open),
      () => undefined, // The number is counted again with the next event.
    );
  }, COUNT_AFTER_MS);
}

/** Two short tones; a browser plays them once the person has used the page. */
function ring(): void {
  if (!preferences.value.sound) return;
  sound ??= new AudioContext();
  void sound.resume();
  const volume = sound.createGain();
  volume.gain.value = 0.15;
  volume.connect(sound.destination);
  for (const [at, hertz] of TONES_HZ.entries()) {
    const tone = sound.createOscillator();
    tone.frequency.value = hertz;
    tone.connect(volume);
    tone.start(sound.currentTime + at * TONE_S);
    tone.stop(sound.currentTime + (at + 1) * TONE_S);
  }
}

function tell(page: string, name: string, text: string): void {
  const told = t("alerts.notice", { name, text });
  if (place.value.page === page) announce(told);
  else inform(told, "info", `#/${page}`);
  ring();
}

export function listen(): void {
  session.user.subscribe(count);
  count();
  live.happening.subscribe((news) => {
    if (!news || news.data.past) return;
    const { event, data } = news;
    if (event.startsWith("alert:")) count();
    if (event === "alert:triggered") tell("alerts", word("level", String(data.priority)), String(data.message));
    else if (event === "safety:event" && data.severity === "critical") tell("safety", word("safety", String(data.type)), String(data.message));
  });
}
