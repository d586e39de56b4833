// The search of the list: it filters as one types, finds airports and towns beside aircraft, and goes there on Enter.
import { html, nothing, type TemplateResult } from "lit";
import { format, note } from "../core/address";
import { prefer, preferences } from "../core/preferences";
import { addressOf } from "../core/selection";
import { t } from "../i18n/i18n";
import { live } from "../live/live";
import type { Place } from "../map/ground/places";
import type { MapElement } from "../map/map";
import { call } from "../session/api";
import { session } from "../session/session";
import { announce } from "../ui/announce";
import { drawing, icon } from "../ui/icons";
import { View } from "../ui/view";

const MOST = 4;
const WAIT_MS = 150;
const ICONS: Record<Place["kind"], string> = {
  airport: "M10 3.5v13M10 8l6.5 3.4M10 8l-6.5 3.4M10 14l2.6 1.6M10 14l-2.6 1.6",
  town: "M4 16.5V9l4-2.5V16.5M8 16.5V4.5l8 3v9M2.5 16.5h15M11 9.5v.1M13.5 9.5v.1M11 12.5v.1M13.5 12.5v.1",
};
const ZOOMS: Record<Place["kind"], number> = { airport: 12.5, town: 10.5 };
const ADDRESS = /^[0-9a-f]{6}$/i;
const CALLSIGN = /^([a-z]{3}|[a-z]{2,3}[0-9][0-9a-z]*)$/i;

const map = (): MapElement | null => document.querySelector<MapElement>("sw-map");

/** The address of the flights of what was looked for, by what it looks like; null where this person may not see any. */
export function inHistory(text: string): string | null {
  const name = text.trim();
  if (!name || !session.canView("history")) return null;
  const [operator] = live.operatorsNamed.value(name);
  const isCallsign = CALLSIGN.test(name) || operator || !session.can("aircraft.view_details");
  const query: Record<string, string> = ADDRESS.test(name)
    ? { icao_hex: name }
    : isCallsign
      ? { callsign: operator ?? name.toUpperCase() }
      : { registration: name.toUpperCase() };
  return format({ page: "history", query });
}

/** Airports of the world by code, name or town; none where the service does not say. */
async function airportsNamed(text: string): Promise<Place[]> {
  if (text.trim().length < 3) return [];
  try {
    const { airports } = await call("GET airports", { query: { q: text.trim(), limit: MOST } });
    return airports.map(({ name, iata, icao, ident, lat, lon }) => {
      const isIcao = icao?.toLowerCase() === text.trim().toLowerCase();
      return { kind: "airport", name, code: (isIcao ? icao : iata) ?? icao ?? ident, lat, lon };
    });
  } catch (error) {
    console.debug("Airports cannot be asked for:", error);
    return [];
  }
}

class Search extends View {
  private places: Place[] = [];
  private due: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.watch(live.filter);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.due);
  }

  /** On a phone that is drawn down to its head the list would hide what is found. */
  private readonly open = (): void => {
    if (!preferences.value.listOpen) prefer({ listOpen: true });
  };

  private type(text: string): void {
    live.filter.set({ ...live.filter.value, text });
    clearTimeout(this.due);
    this.due = setTimeout(() => void this.find(text), WAIT_MS);
  }

  private async find(text: string): Promise<void> {
    const [here, airports] = await Promise.all([map()?.find(text) ?? [], airportsNamed(text)]);
    if (live.filter.value.text !== text) return;
    const towns = here.filter(({ kind }) => kind === "town");
    // Who types a code means the airport; with a name the town comes first.
    const isCode = airports.some(({ code }) => code.toLowerCase() === text.trim().toLowerCase());
    const places = airports.length ? (isCode ? [...airports, ...towns] : [...towns.slice(0, 2), ...airports]) : here;
    this.places = places.slice(0, MOST);
    this.requestUpdate();
  }

  private readonly enter = async (event: KeyboardEvent): Promise<void> => {
    const { text } = live.filter.value;
    if (event.key !== "Enter" || !text.trim()) return;
    const aircraft = await live.find(text);
    if (aircraft) {
      note(addressOf({ hex: aircraft.hex, also: [] }));
      announce(t("list.selected", { name: String(aircraft.flight || aircraft.hex).trim() }));
      // What the panel covers is known once it is laid out.
      requestAnimationFrame(() => requestAnimationFrame(() => map()?.show(aircraft)));
      return;
    }
    await this.find(text);
    if (this.places.length) this.go(this.places[0]);
  };

  private go({ name, lat, lon, kind }: Place): void {
    map()?.showPlace({ lat, lon, zoom: ZOOMS[kind] });
    announce(t("search.shown", { name }));
    this.type("");
  }

  protected override render(): TemplateResult {
    const { text } = live.filter.value;
    const shown = text.trim() ? this.places : [];
    return html`<label class="search">${icon("search")}<span class="visually-hidden">${t("list.search")}</span>
        <input id="search" type="search" autocomplete="off" spellcheck="false" placeholder=${t("list.search")} .value=${text} @focus=${this.open}
          @input=${(event: Event) => this.type((event.target as HTMLInputElement).value)} @keydown=${this.enter} />
      </label>
      ${shown.length ? html`<ul class="places" aria-label=${t("search.places")}>${shown.map((place) => html`<li><button class="plain" @click=${() => this.go(place)}>${drawing(ICONS[place.kind])}<span>${place.name}</span><small>${place.code}</small></button></li>`)}</ul>` : nothing}`;
  }
}

customElements.define("sw-search", Search);
