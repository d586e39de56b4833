// The dry run: what a rule would announce now or would have announced, listed and shown on the map.
import Feature from "ol/Feature";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import { fromLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style } from "ol/style";
import { html, nothing, type TemplateResult } from "lit";
import { clock } from "../../../ui/units";
import { number, saidIn, t, type TextKey } from "../../../i18n/i18n";
import type { MapElement } from "../../../map/map";
import { call } from "../../../session/api";
import { session } from "../../../session/session";
import { faultText, fieldFaults } from "../../../session/fault";
import type { Schemas } from "../../../session/operations";
import type { NewRule } from "../types";

const SPANS: [number, TextKey][] = [
  [0, "trial.now"],
  [1, "span.hour"],
  [6, "span.hours6"],
  [24, "span.day"],
];
const SHOWN = 50;

export class Trial {
  private result: Schemas["TrialResult"] | null = null;
  private error = "";
  private isBusy = false;
  private hours = 0;
  private layer: VectorLayer | null = null;
  faults: Record<string, string> = {};

  constructor(
    private readonly rule: () => NewRule,
    private readonly changed: () => void,
  ) {}

  end(): void {
    if (this.layer) document.querySelector<MapElement>("sw-map")?.removeLayer(this.layer);
    this.layer = null;
  }

  private async run(hours: number): Promise<void> {
    Object.assign(this, { hours, isBusy: true, error: "", result: null, faults: {} });
    this.end();
    this.changed();
    const now = Date.now();
    const span = hours
      ? { from: new Date(now - hours * 3_600_000).toISOString(), to: new Date(now).toISOString() }
      : {};
    try {
      this.result = await call("POST alerts/rules/test/", { body: { rule: this.rule(), ...span } });
      this.draw(this.result.alerts);
    } catch (error) {
      this.error = faultText(error, ["rule.conditions", "conditions"]);
      this.faults = fieldFaults(error);
    }
    this.isBusy = false;
    this.changed();
  }

  private draw(alerts: Schemas["TrialAlert"][]): void {
    const map = document.querySelector<MapElement>("sw-map");
    const places = alerts.flatMap(({ aircraft }) =>
      typeof aircraft.lat === "number" && typeof aircraft.lon === "number"
        ? [fromLonLat([aircraft.lon, aircraft.lat])]
        : [],
    );
    if (!map || !places.length) return;
    const mark = new Circle({
      radius: 9,
      fill: new Fill({ color: "rgb(255 140 60 / 0.28)" }),
      stroke: new Stroke({ color: "#f07a1e", width: 2 }),
    });
    this.layer = new VectorLayer({
      source: new VectorSource({ features: places.map((place) => new Feature(new Point(place))) }),
      zIndex: 4,
      style: new Style({ image: mark }),
    });
    map.addLayer(this.layer);
    map.fit(places);
  }

  render(): TemplateResult {
    const { result } = this;
    const spans = SPANS.filter(([hours]) => !hours || session.canView("history"));
    return html`<section class="section trial" aria-label=${t("trial.title")}><h2>${t("trial.title")}</h2>
      <p class="hint">${t("trial.hint")}</p>
      <div class="segments" role="group" aria-label=${t("span.label")}>${spans.map(([hours, name]) => html`<button type="button" aria-pressed=${result !== null && hours === this.hours} ?disabled=${this.isBusy} @click=${() => void this.run(hours)}>${t(name)}</button>`)}</div>
      ${this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing}
      <div role="status">${this.isBusy ? html`<p class="hint">${t("trial.running")}</p>` : nothing}
      ${
        result
          ? html`<p class="trial-count"><b>${number(result.count)}</b> ${t(result.count === 1 ? "trial.one" : "trial.many")}${result.per_hour === null ? "" : ` · ${t("trial.per_hour", { rate: number(result.per_hour, 1) })}`}${result.truncated ? ` · ${t("trial.truncated")}` : ""}</p>
            <ul class="cards">${result.alerts.slice(0, SHOWN).map((alert) => html`<li class="card"><p>${saidIn(alert, "message")}</p><p><small>${clock(alert.triggered_at, true)}${alert.cleared_at ? ` – ${clock(alert.cleared_at)}` : ""}</small></p></li>`)}</ul>`
          : nothing
      }</div>
    </section>`;
  }
}
