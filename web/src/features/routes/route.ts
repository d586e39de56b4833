// Where the selected aircraft comes from and goes to.
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";
import type { Schemas } from "../../session/operations";
import { View } from "../../ui/view";

type Details = Schemas["AircraftDetail"];
type Airport = NonNullable<Details["route"]>["origin"];

class RoutePart extends View {
  static override properties: PropertyDeclarations = { hex: {}, details: { attribute: false } };
  declare hex: string;
  declare details: Details | null;

  protected override render(): TemplateResult | typeof nothing {
    const route = this.details?.route;
    if (!route) return nothing;
    const { origin, destination, source, sure } = route;
    return html`<section class="panel-route" aria-label=${t("routes.route")}>
      ${end(origin, t("routes.from"))}<span class="arrow" aria-hidden="true">→</span>${end(destination, t("routes.to"))}
      <small title=${t("routes.sure", { percent: Math.round(sure * 100) })}>${t(source === "learnt" ? "routes.learnt" : "routes.table")}</small>
    </section>`;
  }
}

function end({ icao, iata, name }: Airport, label: string): TemplateResult {
  return html`<span class="end"><span class="visually-hidden">${label}</span><b title=${icao}>${iata ?? icao}</b> <span class="airport">${name}</span></span>`;
}

customElements.define("sw-route", RoutePart);
