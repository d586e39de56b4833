// Notifies the person while they look at something else, and counts what waits for them.
import { route } from "../core/address";
import { Cell } from "../core/cell";
import { preferences } from "../core/preferences";
import { number, t } from "../i18n/i18n";
import { live, type Happening } from "../live/live";
import { isSilent } from "../live/simulated";
import { session } from "../session/session";
import { publishNews, seen } from "../ui/announce";
import { FEATURES, PAGES, type Feature, type Notice, type OpenPage } from "./feature";

/** The numbers of the pages' badges, by page. */
export const counts = new Cell<Record<string, number>>({});
const COUNT_AFTER_MS = 400;
const TONES_HZ = [880, 1175];
const TONE_S = 0.13;
const due = new Set<string>();
let sound: AudioContext | null = null;

function countSoon(page: OpenPage): void {
  if (due.has(page.name)) return;
  due.add(page.name);
  setTimeout(() => {
    due.delete(page.name);
    void count(page);
  }, COUNT_AFTER_MS);
}

async function count({ name, badge, isOpen }: OpenPage): Promise<void> {
  try {
    const n = badge && isOpen() ? await badge.count() : 0;
    counts.update((before) => ({ ...before, [name]: n }));
  } catch {
    // The number is counted again with the next event.
  }
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

function notify({ pages, severalNotices }: Feature, { title, text }: Notice): void {
  const [{ name, title: pageTitle }] = pages;
  const sum = (n: number): string => (severalNotices ? t(severalNotices, { n }) : `${t(pageTitle)}: ${number(n)}`);
  const isFirst = publishNews(
    { name, href: `#/${name}`, sum },
    t("notice", { name: title, text }),
    route.value.page === name,
  );
  if (isFirst) ring();
}

function take({ event, data }: Happening): void {
  for (const page of PAGES) if (page.badge?.isChangedBy(event)) countSoon(page);
  if (isSilent()) return;
  for (const feature of FEATURES) {
    const made = feature.notice?.(event, data);
    if (made) notify(feature, made);
  }
}

export function listen(): void {
  const countAll = (): void => PAGES.filter(({ badge }) => badge).forEach(countSoon);
  session.user.subscribe(countAll);
  countAll();
  route.subscribe(({ page }) => seen(page));
  live.happening.subscribe((news) => {
    if (news && !news.data.past) take(news);
  });
}
