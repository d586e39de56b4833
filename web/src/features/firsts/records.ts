// The records of the station: what was farthest, highest, fastest, slowest, longest, busiest and rarest.
import { html, nothing, type TemplateResult } from "lit";
import { format } from "../../core/address";
import { preferences } from "../../core/preferences";
import { locale, number, t, word } from "../../i18n/i18n";
import { call } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { Task } from "../../session/task";
import { type Quantity, measure } from "../../ui/units";

type Records = Schemas["Records"];
type Record = NonNullable<Records["farthest"]>;
type Busiest = NonNullable<Records["busiest_day"]>;

const QUANTITIES: ["farthest" | "highest" | "fastest" | "slowest_airborne", Quantity, number][] = [
  ["farthest", "distance", 1],
  ["highest", "altitude", 0],
  ["fastest", "speed", 0],
  ["slowest_airborne", "speed", 0],
];

class RecordsPage extends Task {
  private records: Records | null = null;

  constructor() {
    super();
    this.watch(session.user, preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(async () => {
      this.records = await call("GET records");
    });
  }

  protected override render(): TemplateResult {
    return html`<div class="sheet"><header><h1>${t("nav.records")}</h1></header>
      <div class="journal-bar"><a href="#/journal">${t("nav.journal")}</a></div>${this.fault()}
      ${this.records ? this.content(this.records) : this.emptyList("")}</div>`;
  }

  private content(records: Records): TemplateResult {
    const {
      longest_flight: longest,
      busiest_day: day,
      busiest_hour: hour,
      rarest_types: rarest,
      timezone: zone,
    } = records;
    const cards = [
      ...QUANTITIES.map(([name, quantity, digits]) => {
        const record = records[name];
        return record && card(name, measure(quantity, record.value, digits), record, zone);
      }),
      longest && card("longest_flight", lasted(longest.value), longest, zone),
      day && busiest("busiest_day", day, { dateStyle: "long", timeZone: zone }),
      hour && busiest("busiest_hour", hour, { dateStyle: "long", timeStyle: "short", timeZone: zone }),
    ].filter((one) => one !== null);
    if (!cards.length && !rarest.length) return html`<p class="empty">${t("records.none")}</p>`;
    return html`<div class="record-cards">${cards}</div>
      ${
        rarest.length
          ? html`<section class="section"><h2>${t("records.rarest")}</h2>
              <table class="record-types">
                <thead><tr><th scope="col">${t("records.type")}</th><th scope="col" class="number">${t("records.airframes")}</th><th scope="col" class="number">${t("records.flights")}</th><th scope="col">${t("records.last")}</th></tr></thead>
                <tbody>${rarest.map(({ type, airframes, flights, last_at }) => html`<tr><td class="mono">${type}</td><td class="number">${number(airframes)}</td><td class="number">${number(flights)}</td><td>${moment(last_at, { dateStyle: "medium", timeZone: zone })}</td></tr>`)}</tbody>
              </table></section>`
          : nothing
      }
      <p class="hint">${t("journal.zone", { zone })}</p>`;
  }
}

function card(name: string, value: string, record: Record, timeZone: string): TemplateResult {
  const { icao_hex, callsign, type, at, receiver, source } = record;
  const how = [receiver, source?.replaceAll("_", " ")].filter(Boolean).join(", ");
  return html`<article class="record-card"><h2>${word("record", name)}</h2><p class="value">${value}</p>
    <p><a class="mono" href=${format({ page: "history", query: { icao_hex: icao_hex.replace("~", "") } })}>${callsign ?? icao_hex}</a> ${type ?? ""}</p>
    <p><time datetime=${at}>${moment(at, { dateStyle: "medium", timeStyle: "short", timeZone })}</time>${how ? html`<br /><small>${how}</small>` : nothing}</p></article>`;
}

function busiest(name: string, { value, at }: Busiest, options: Intl.DateTimeFormatOptions): TemplateResult {
  return html`<article class="record-card"><h2>${word("record", name)}</h2><p class="value">${t("records.count", { n: value })}</p>
    <p><time datetime=${at}>${moment(at, options)}</time></p></article>`;
}

function moment(at: string, options: Intl.DateTimeFormatOptions): string {
  return new Date(at).toLocaleString(locale(), options);
}

/** Hours and minutes. */
function lasted(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return t("records.lasted", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

customElements.define("sw-records", RecordsPage);
