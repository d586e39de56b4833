// Parts and links that features add to the panel of the selected aircraft.
import type { TextKey } from "../i18n/i18n";

/** An element with a property `hex`; its script is fetched when a panel is opened first. */
export interface PanelPart {
  element: string;
  load: () => Promise<unknown>;
  /** Who is shown it; without it, whoever may view the feature. */
  isOpen?: () => boolean;
}

export interface PanelLink {
  title: TextKey;
  /** The path of its drawing. */
  icon: string;
  href: (hex: string) => string;
}
