// What a feature is in the browser: one value for each, from which the shell, the map, the list, the panel and the channel
// are made. `src/features.ts` lists them, and the start of the page registers them (register.ts).
import type { TextKey } from "../i18n/i18n";
import type { Mark } from "../list/marks";
import type { ListTop } from "../list/tops";
import type { Overlay } from "../map/overlays/overlay";
import type { PageLayer } from "../map/page_layers";
import type { PanelAction, PanelLink, PanelPart } from "../panel/parts";
import type { Schemas } from "../session/operations";
import { session } from "../session/session";
import type { RuleField } from "./rule_fields";

/** A number next to the page's name, counted again after each event that may change it. */
export interface Badge {
  title: TextKey;
  count: () => Promise<number>;
  isChangedBy: (event: string) => boolean;
}

/** The words of the navigation, in their order; pages without one are below "More". */
export const SECTIONS = ["map", "history", "alerts", "radio", "station"] as const;
export type Section = (typeof SECTIONS)[number];

export interface Page {
  name: string;
  title: TextKey;
  /** The path of its drawing on a 20 px grid (ui/icons.ts). */
  icon: string;
  /** The element of the page; null is the live map itself. */
  element: string | null;
  load?: () => Promise<unknown>;
  /** Who is offered the page; without it, whoever may view the feature. */
  isOpen?: () => boolean;
  /** Whether the map stays next to the page. */
  overMap?: boolean;
  /** Where its link is: in the navigation, nowhere (other pages lead to it), or in the place of the person's name while somebody is signed in or nobody is. */
  place?: "menu" | "account" | "signIn" | "none";
  /** The word of the navigation that it stands behind, alone or beside other pages. */
  section?: Section;
  badge?: Badge;
}

/** Which receiver a part is about: one of the settings by its name, or a feeder by its id; of a feeder whose place this person may not know exactly there is less to show. */
export type Source = { receiver: string } | { feeder: number; isCoarse: boolean };

/** A feeder as a source: its place is coarse for everybody but its owner and who manages feeders, unless it is shown. */
export function sourceOf({ id, place_privacy, owner }: Schemas["FeederEntry"]): Source {
  const isOwn = owner !== null && owner.id === session.user.value?.id;
  return { feeder: id, isCoarse: place_privacy !== "exact" && !isOwn && !session.can("feeders.manage") };
}

/** What a feature shows on the page of a receiver or a feeder, such as its charts: an element with a property `source`. */
export interface ReceiverPart {
  element: string;
  load: () => Promise<unknown>;
  /** Who is shown it; without it, everybody. */
  isOpen?: (source: Source) => boolean;
}

/** A title and a text that the person is notified with, wherever they are. */
export interface Notice {
  title: string;
  text: string;
}

export interface Feature {
  /** The name of the feature in the service: its access setting and the scope of API keys. */
  name: string;
  /** The permission that viewing needs, where it is not `<name>.view`. */
  permission?: string;
  pages: Page[];
  /** Whether the real-time channel has a topic of this name. */
  hasTopic?: boolean;
  /** Whether API keys have a scope of this name. */
  hasScope?: boolean;
  /** Whether channels of notifications may subscribe to this feature; its name there and who is offered it, where that is not the first page's title and whoever may view the feature. */
  isSource?: boolean | { title: TextKey; isOffered: () => boolean };
  /** The notice of an event of this feature; null for one that nobody is disturbed with. It leads to the first page. */
  notice?: (event: string, data: Record<string, unknown>) => Notice | null;
  /** The text of several notices at once; `{n}` is their number. */
  severalNotices?: TextKey;
  /** Marks next to an aircraft in the list and in the panel. */
  marks?: Mark[];
  /** What stands above the rows of the list. */
  listTops?: ListTop[];
  panelParts?: PanelPart[];
  panelActions?: PanelAction[];
  panelLinks?: PanelLink[];
  receiverParts?: ReceiverPart[];
  /** Layers that the map shows while one of the pages is open. */
  layers?: PageLayer[];
  /** Layers of the map that the reader switches on and off. */
  overlays?: Overlay[];
  ruleFields?: Record<string, RuleField>;
}

export interface OpenPage extends Page {
  isOpen: () => boolean;
}

export const FEATURES: Feature[] = [];
/** The pages of all features, and those of the shell. */
export const PAGES: OpenPage[] = [];

export function pageOf(name: string): OpenPage | undefined {
  return PAGES.find((page) => page.name === name);
}

/** The first page with this place. */
export function pageAt(place: Page["place"]): OpenPage | undefined {
  return PAGES.find((page) => page.place === place);
}

/** The pages that this person is offered in the navigation. */
export function menu(): OpenPage[] {
  return PAGES.filter(({ place = "menu", isOpen }) => place === "menu" && isOpen());
}
