// Which aircraft are selected: one whose details are shown, and others whose trails are drawn as well.

export interface Selection {
  hex: string | null;
  /** The others, the newest first. */
  also: string[];
}

export const NOTHING: Selection = { hex: null, also: [] };
/** Trails of more aircraft than this cannot be told apart. */
export const MAX_SELECTED = 12;
const ADDRESS = /^~?[0-9a-f]{6}$/;

/** The selection of an address of the page. */
export function selectionOf(query: Record<string, string>): Selection {
  const hex = query.hex ?? null;
  const also = (query.also ?? "")
    .toLowerCase()
    .split(",")
    .filter((one) => ADDRESS.test(one) && one !== hex);
  return { hex, also: hex === null ? [] : [...new Set(also)].slice(0, MAX_SELECTED - 1) };
}

/** The selection as parts of the page's address. */
export function addressOf({ hex, also }: Selection): Record<"hex" | "also", string | null> {
  return { hex, also: also.length ? also.join(",") : null };
}

/** One aircraft more, with its details shown, or, where it was selected, one less. */
export function toggled({ hex, also }: Selection, other: string): Selection {
  if (other === hex) return { hex: also[0] ?? null, also: also.slice(1) };
  if (also.includes(other)) return { hex, also: also.filter((one) => one !== other) };
  return promoted({ hex, also }, other);
}

/** Show the details of another aircraft, and keep the rest selected. */
export function promoted({ hex, also }: Selection, other: string): Selection {
  const rest = [...(hex === null ? [] : [hex]), ...also].filter((one) => one !== other);
  return { hex: other, also: rest.slice(0, MAX_SELECTED - 1) };
}

/** Whether a click or key is to change a selection rather than begin a new one. */
export function isFurther(event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.shiftKey || event.ctrlKey || event.metaKey;
}
