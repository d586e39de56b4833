// The panel of the map's layers: base map, trails of all, labels, colours, and what else is drawn.
import { html, nothing, type TemplateResult } from "lit";
import { prefer, preferences, type Switch } from "../../core/preferences";
import type { RampName } from "../../core/ramp";
import { View } from "../../ui/view";
import { t, type TextKey } from "../../i18n/i18n";
import { live } from "../../live/live";
import { LABEL_FIELDS, type LabelField } from "../../live/messages";
import { session } from "../../session/session";
import { baseMapChoices, baseMaps, chosenBaseMap, NO_BASE_MAP } from "../ground/base_maps";
import { offeredOverlays, toggleOverlay } from "./overlay";

const TRAIL_MINUTES = [0, 2, 5, 15];
const RAMPS: [RampName, TextKey][] = [
  ["even", "map.ramp_even"],
  ["hue", "map.ramp_hue"],
];
/** What the map has of its own. */
const SWITCHES: [Switch, TextKey][] = [
  ["labels", "settings.labels"],
  ["rings", "settings.rings"],
  ["airports", "settings.airports"],
];
const LINES = 3;
const FIELDS_OF_LINE = 2;
const TITLES: Record<LabelField, TextKey> = {
  flight: "column.flight",
  altitude: "column.altitude",
  gs: "column.speed",
  t: "column.type",
  r: "column.registration",
  squawk: "column.squawk",
  hex: "column.hex",
  distance: "column.distance",
  track: "column.track",
  baro_rate: "column.rate",
};

/** The lines with one field changed; null takes it out, and empty lines go. */
export function withField(lines: readonly string[][], line: number, place: number, field: string | null): string[][] {
  const changed = Array.from({ length: LINES }, (_, at) => [...(lines[at] ?? [])]);
  if (field === null) changed[line].splice(place, 1);
  else changed[line][Math.min(place, changed[line].length)] = field;
  const filled = changed.filter((fields) => fields.length);
  return filled.length ? filled : [["flight"]];
}

class Layers extends View {
  constructor() {
    super();
    this.watch(preferences, session.config, session.user, live.station);
  }

  protected override render(): TemplateResult {
    const { allTrails, ramp, labels } = preferences.value;
    return html`<section class="layers" aria-label=${t("map.layers")}>
      ${baseMaps.length ? this.baseMap() : nothing}
      <fieldset><legend>${t("map.all_trails")}</legend>
        <div class="segments">${TRAIL_MINUTES.map((minutes) => html`<button aria-pressed=${minutes === allTrails} @click=${() => prefer({ allTrails: minutes })}>${minutes ? t("map.minutes", { n: minutes }) : t("map.off")}</button>`)}</div>
      </fieldset>
      <fieldset class="overlays"><legend>${t("map.more_layers")}</legend>
        ${offeredOverlays().map(({ name, title }) => html`<label class="check"><input type="checkbox" data-overlay=${name} .checked=${preferences.value.overlays.includes(name)} @change=${() => toggleOverlay(name)} /> ${t(title)}</label>`)}
        ${SWITCHES.map(([name, title]) => html`<label class="check"><input type="checkbox" data-switch=${name} .checked=${preferences.value[name]} @change=${() => prefer({ [name]: !preferences.value[name] })} /> ${t(title)}</label>`)}
      </fieldset>
      ${labels ? this.labelLines() : nothing}
      <fieldset><legend>${t("map.legend")}</legend>
        <div class="segments">${RAMPS.map(([name, title]) => html`<button aria-pressed=${name === ramp} @click=${() => prefer({ ramp: name })}>${t(title)}</button>`)}</div>
      </fieldset>
    </section>`;
  }

  private baseMap(): TemplateResult {
    const chosen = chosenBaseMap()?.name ?? NO_BASE_MAP;
    return html`<fieldset class="base-maps"><legend>${t("map.base_map")}</legend>
      ${baseMapChoices().map(([value, title]) => html`<label class="check"><input type="radio" name="base-map" .checked=${value === chosen} @change=${() => prefer({ baseMap: value })} /> ${title}</label>`)}
    </fieldset>`;
  }

  private labelLines(): TemplateResult {
    return html`<fieldset class="label-lines"><legend>${t("map.label_lines")}</legend>
      ${Array.from({ length: LINES }, (_, line) => html`<div class="label-line">${Array.from({ length: FIELDS_OF_LINE }, (_, place) => this.field(line, place))}</div>`)}
    </fieldset>`;
  }

  private field(line: number, place: number): TemplateResult {
    const { labelLines } = preferences.value;
    const chosen = labelLines[line]?.[place] ?? "";
    const offered = LABEL_FIELDS.filter((field) => field !== "r" || session.can("aircraft.view_details"));
    const choose = (event: Event): void =>
      prefer({ labelLines: withField(labelLines, line, place, (event.target as HTMLSelectElement).value || null) });
    return html`<select aria-label=${t("map.label_line", { n: line + 1, place: place + 1 })} .value=${chosen} @change=${choose}>
      <option value="" ?selected=${!chosen}>–</option>
      ${offered.map((field) => html`<option value=${field} ?selected=${field === chosen}>${t(TITLES[field])}</option>`)}
    </select>`;
  }
}

customElements.define("sw-layers", Layers);
