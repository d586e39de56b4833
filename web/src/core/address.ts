// The state that can be shared stands in the address, behind "#": no server ever sees it, and no token is ever in it.
import { Cell } from "./cell";

export interface Place {
  page: string;
  /** The one of its entries that is open: `7` of `#/feeders/7`. */
  item?: string;
  query: Record<string, string>;
}

export function parse(fragment: string): Place {
  const [path, query = ""] = fragment.replace(/^#\/?/, "").split("?");
  const [page, item] = path.split("/");
  return { page: page || "map", ...(item ? { item } : {}), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function format({ page, item, query }: Place): string {
  const entries = Object.entries(query).filter(([, value]) => value !== "");
  // Commas and colons are allowed in a fragment, and read better plain.
  const text = new URLSearchParams(entries).toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return `#/${page}${item ? `/${item}` : ""}${text ? `?${text}` : ""}`;
}

export const place = new Cell<Place>(parse(location.hash));

/** Go to a page; what `query` leaves out is gone. */
export function go(page: string, query: Record<string, string> = {}): void {
  location.hash = format({ page, query });
}

/** Change parts of the present address without a step in the history of the browser; null removes. */
export function note(change: Record<string, string | null>): void {
  // Where the address has changed, its event may still be on its way: the old place must not be written over the new one.
  const now = parse(location.hash);
  if (format(now) !== format(place.value)) place.set(now);
  const query = { ...place.value.query };
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === "") delete query[name];
    else query[name] = value;
  }
  const next = { ...place.value, query };
  const text = format(next);
  if (text === format(place.value)) return;
  history.replaceState(null, "", text);
  place.set(next);
}

addEventListener("hashchange", () => place.set(parse(location.hash)));
