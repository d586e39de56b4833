// The state that can be shared stands in the address, behind "#": no server ever sees it, and no token is ever in it.
import { Cell } from "./cell";

export interface Route {
  page: string;
  /** The one of its entries that is open: `7` of `#/feeders/7`. */
  item?: string;
  query: Record<string, string>;
}

export function parse(fragment: string): Route {
  const [path, query = ""] = fragment.replace(/^#\/?/, "").split("?");
  const [page, item] = path.split("/");
  return { page: page || "map", ...(item ? { item } : {}), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function format({ page, item, query }: Route): string {
  const entries = Object.entries(query).filter(([, value]) => value !== "");
  // Commas and colons are allowed in a fragment, and read better plain.
  const text = new URLSearchParams(entries).toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  return `#/${page}${item ? `/${item}` : ""}${text ? `?${text}` : ""}`;
}

export const route = new Cell<Route>(parse(location.hash));

/** Go to a page; what `query` leaves out is gone. */
export function go(page: string, query: Record<string, string> = {}): void {
  location.hash = format({ page, query });
}

/** Change parts of the present address without a step in the history of the browser; null removes. */
export function note(change: Record<string, string | null>): void {
  // Where the address has changed, its event may still be on its way: the old route must not be written over the new one.
  const now = parse(location.hash);
  if (format(now) !== format(route.value)) route.set(now);
  const query = { ...route.value.query };
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === "") delete query[name];
    else query[name] = value;
  }
  const next = { ...route.value, query };
  const text = format(next);
  if (text === format(route.value)) return;
  history.replaceState(null, "", text);
  route.set(next);
}

addEventListener("hashchange", () => route.set(parse(location.hash)));
