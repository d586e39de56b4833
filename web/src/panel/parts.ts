// What features add to the panel of the selected aircraft: parts, actions and links.
import type { TextKey } from "../i18n/i18n";

/** An element with the properties `hex` and `details` (what the service answers about the aircraft, null until it has); its script is fetched when a panel is opened first. */
export interface PanelPart {
  element: string;
  load: () => Promise<unknown>;
  /** In the head it stands below the names, with what is known of where the aircraft comes from; else below the figures. */
  place?: "head" | "body";
  /** Who is shown it; without it, whoever may view the feature. */
  isOpen?: () => boolean;
}

/** Who the selected aircraft is, as far as it is known. */
export interface Named {
  hex: string;
  callsign: string;
  registration: string;
  type: string;
}

/** What a person can do about the selected aircraft: a link with one word, and what it does as its title. */
export interface PanelAction {
  word: TextKey;
  title: TextKey;
  /** The path of its drawing. */
  icon: string;
  /** Its place among the others, the lowest first. */
  order: number;
  /** Who is offered it. */
  isOpen: () => boolean;
  href: (aircraft: Named) => string;
}

export interface PanelLink {
  title: TextKey;
  /** The path of its drawing. */
  icon: string;
  href: (hex: string) => string;
}
