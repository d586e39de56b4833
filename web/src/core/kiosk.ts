// The kiosk: the map alone, for a screen on a wall or a frame in another page. The service says in the page's head whether
// it is one, so that what it lets others frame is never the whole application.

/** A place that the map shows for a while. */
export interface KioskView {
  name: string;
  lat: number;
  lon: number;
  zoom: number;
  seconds: number;
}

export interface Kiosk {
  views: KioskView[];
}

function declared(): Kiosk | null {
  if (typeof document === "undefined") return null; // The tests of rules have none.
  const meta = document.querySelector<HTMLMetaElement>('meta[name="skywatch-kiosk"]');
  return meta ? (JSON.parse(meta.content) as Kiosk) : null;
}

/** Null where this is the application. */
export const kiosk: Kiosk | null = declared();

/** Labels are read from across the room. */
export const LABEL_SCALE = kiosk ? 1.6 : 1;

/** A kiosk shows what nobody in particular may see, whoever is signed in at this browser. */
export const CREDENTIALS: RequestCredentials = kiosk ? "omit" : "same-origin";
