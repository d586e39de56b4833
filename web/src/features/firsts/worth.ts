// What is worth a look in the sky now, above the list: the best of it, with the reason of each.
import { html, nothing, type TemplateResult } from "lit";
import { note } from "../../core/address";
import { addressOf } from "../../core/selection";
import { t, word } from "../../i18n/i18n";
import { live } from "../../live/live";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { Task } from "../../session/task";

type Aircraft = Schemas["WorthALook"];

const REFRESH_MS = 15_000;
const SHOWN = 12;

class WorthALook extends Task {
  private aircraft: Aircraft[] = [];
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(session.user, live.isReplay, live.selectedHex);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const read = (): void => void (document.hidden || live.isReplay.value || this.attemptRead(() => this.read()));
    this.timer = setInterval(read, REFRESH_MS);
    read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  private async read(): Promise<void> {
    this.aircraft = (await call("GET worth-a-look", { query: { limit: SHOWN } })).aircraft;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.aircraft.length || live.isReplay.value) return nothing;
    return html`<div class="worth" role="group" aria-label=${t("worth.title")}><span>${t("worth.title")}</span>
      <ul>${this.aircraft.map((one) => html`<li>${this.chip(one)}</li>`)}</ul></div>`;
  }

  private chip({ icao_hex, callsign, type, reasons, days }: Aircraft): TemplateResult {
    const hex = icao_hex.toLowerCase();
    const why = reasons.map((reason) => because(reason, type, days));
    return html`<button class="chip ${reasons[0] === "emergency" ? "danger" : ""}" aria-pressed=${live.selectedHex.value === hex} title=${why.join(", ")} @click=${() => note(addressOf({ hex, also: [] }))}><b class="mono">${callsign ?? icao_hex}</b> ${why[0]}</button>`;
  }
}

function because(reason: string, type: string | null, days: number | null): string {
  if (reason === "not_seen_days" && days !== null) return t("worth.after_days", { n: Math.floor(days) });
  const words = word("worth", reason);
  return type && (reason === "first_type" || reason === "rare_type") ? `${words} ${type}` : words;
}

customElements.define("sw-worth-a-look", WorthALook);
