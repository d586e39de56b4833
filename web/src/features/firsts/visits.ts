// How often the selected aircraft was here before, by the flights that are stored.
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";
import type { Schemas } from "../../session/operations";
import { lastDay, sinceDay } from "../../ui/days";
import { View } from "../../ui/view";

class Visits extends View {
  static override properties: PropertyDeclarations = { hex: {}, details: { attribute: false } };
  declare hex: string;
  declare details: Schemas["AircraftDetail"] | null;

  protected override render(): TemplateResult | typeof nothing {
    const visits = this.details?.visits;
    if (!visits) return nothing;
    const { first_at, last_at, flights } = visits;
    // Without a flight before this one there is nothing to look up.
    if (!last_at) return html`<p class="panel-line">${t("visits.never")}</p>`;
    const seen = t("visits.seen", { n: flights, first: sinceDay(first_at), last: lastDay(last_at) });
    return html`<p class="panel-line"><a href="#/history?icao_hex=${this.hex.replace("~", "")}">${seen}</a></p>`;
  }
}

customElements.define("sw-visits", Visits);
