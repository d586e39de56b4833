// The form with the filters of list and map.
import { html, nothing, type TemplateResult } from "lit";
import { preferences } from "../core/preferences";
import { fromAviation, toAviation, unit, type Quantity } from "../ui/units";
import { View } from "../ui/view";
import { t, word, type TextKey } from "../i18n/i18n";
import { CLASSES } from "../live/classes";
import { live } from "../live/live";
import type { Filter } from "../live/messages";
import { session } from "../session/session";

type Limit = "minAltitude" | "maxAltitude" | "minSpeed" | "maxSpeed" | "maxDistance";
const LIMITS: [TextKey, Quantity, Limit, Limit | null][] = [
  ["column.altitude", "altitude", "minAltitude", "maxAltitude"],
  ["column.speed", "speed", "minSpeed", "maxSpeed"],
];
class Filters extends View {
  constructor() {
    super();
    this.watch(live.filter, preferences);
  }

  private set(change: Partial<Filter>): void {
    live.filter.set({ ...live.filter.value, ...change });
  }

  private number(quantity: Quantity, name: Limit, label: string): TemplateResult {
    const value = live.filter.value[name];
    const change = (event: Event): void => {
      const text = (event.target as HTMLInputElement).value;
      this.set({ [name]: text === "" ? null : toAviation(quantity, Number(text)) });
    };
    return html`<input type="number" inputmode="numeric" aria-label=${label} placeholder=${name.startsWith("min") ? t("filter.from") : t("filter.to")}
      .value=${value === null ? "" : String(Math.round(fromAviation(quantity, value)))} @change=${change} />`;
  }

  protected override render(): TemplateResult {
    const filter = live.filter.value;
    return html`<div class="filters">
      ${LIMITS.map(
        ([
          title,
          quantity,
          low,
          high,
        ]) => html`<div class="filter-line"><span>${t(title)} <small>${unit(quantity)}</small></span>
          ${this.number(quantity, low, `${t(title)} ${t("filter.from")}`)}${high ? this.number(quantity, high, `${t(title)} ${t("filter.to")}`) : nothing}</div>`,
      )}
      <div class="filter-line"><span>${t("column.distance")} <small>${unit("distance")}</small></span>${this.number("distance", "maxDistance", `${t("column.distance")} ${t("filter.to")}`)}</div>
      <div class="filter-line" role="group" aria-label=${t("filter.where")}><span>${t("filter.where")}</span>
        <div class="segments">${(["all", "air", "ground"] as const).map(
          (where) =>
            html`<button aria-pressed=${filter.ground === where} @click=${() => this.set({ ground: where })}>${t(`filter.${where}`)}</button>`,
        )}</div>
      </div>
      <div class="chips" role="group" aria-label=${t("filter.classes")}>
        ${CLASSES.filter((name) => name !== "unknown").map((name) => {
          const on = filter.classes.includes(name);
          const change = (): void =>
            this.set({ classes: on ? filter.classes.filter((one) => one !== name) : [...filter.classes, name] });
          return html`<button class="chip" aria-pressed=${on} @click=${change}>${word("class", name)}</button>`;
        })}
      </div>
      <div class="checks">
        ${session.can("aircraft.view_military") ? html`<label class="check"><input type="checkbox" .checked=${filter.military} @change=${() => this.set({ military: !filter.military })} /> ${t("filter.military")}</label>` : nothing}
        <label class="check"><input type="checkbox" .checked=${filter.emergency} @change=${() => this.set({ emergency: !filter.emergency })} /> ${t("filter.emergency")}</label>
      </div>
    </div>`;
  }
}

customElements.define("sw-filters", Filters);
