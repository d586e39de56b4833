// The filters of list and map in the address, so that a view can be shared.
import { note, route } from "../core/address";
import { CLASSES } from "../live/classes";
import { live } from "../live/live";
import { NO_FILTER, type Filter } from "../live/messages";

const SHORT: Record<string, keyof Filter> = {
  q: "text",
  alt_min: "minAltitude",
  alt_max: "maxAltitude",
  gs_min: "minSpeed",
  gs_max: "maxSpeed",
  within: "maxDistance",
  class: "classes",
  on: "ground",
  mil: "military",
  emg: "emergency",
};

/** A filter as parts of the address. */
export function toQuery(filter: Filter): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(SHORT).map(([short, name]) => {
      const value = filter[name];
      if (Array.isArray(value)) return [short, value.join(",") || null];
      if (typeof value === "boolean") return [short, value ? "1" : null];
      return [short, value === null || value === NO_FILTER[name] ? null : String(value)];
    }),
  );
}

export function fromQuery(query: Record<string, string>): Filter {
  const filter: Filter = { ...NO_FILTER };
  const limit = (name: string): number | null => {
    const value = Number(query[name]);
    return query[name] && Number.isFinite(value) ? value : null;
  };
  filter.text = (query.q ?? "").slice(0, 100);
  filter.minAltitude = limit("alt_min");
  filter.maxAltitude = limit("alt_max");
  filter.minSpeed = limit("gs_min");
  filter.maxSpeed = limit("gs_max");
  filter.maxDistance = limit("within");
  filter.classes = (query.class ?? "").split(",").filter((name) => (CLASSES as readonly string[]).includes(name));
  filter.ground = query.on === "air" || query.on === "ground" ? query.on : "all";
  filter.military = query.mil === "1";
  filter.emergency = query.emg === "1";
  return filter;
}

/** Keeps the address and the filter the same, from the start of the page. */
export function shareFilter(): void {
  live.filter.set(fromQuery(route.value.query));
  let timer: ReturnType<typeof setTimeout> | undefined;
  live.filter.subscribe((filter) => {
    clearTimeout(timer);
    timer = setTimeout(() => route.value.page === "map" && note(toQuery(filter)), 300);
  });
}
