// Marks that features give an aircraft: a drawing in the list, and a tag with a link in the panel.
import type { TextKey } from "../i18n/i18n";
import type { Aircraft } from "../live/messages";

export interface Mark {
  /** The bit of the aircraft's `flags` that sets the mark. */
  flag: number;
  title: TextKey;
  /** The path of its drawing. */
  icon: string;
  /** Where the tag leads. */
  href: (aircraft: Aircraft) => string;
}

export const MARKS: Mark[] = [];

export function marksOf(flags: number): Mark[] {
  return MARKS.filter(({ flag }) => flags & flag);
}
