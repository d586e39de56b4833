// The connections of a receiver in 30 days: a strip that is filled where it was connected, and the latest ones in words.
import { dayName } from "../../ui/days";
import { html, nothing, svg, type TemplateResult } from "lit";
import { number, t } from "../../i18n/i18n";
import { clock } from "../../ui/units";
import { DAY_MS, HOUR_MS, MONTH_MS, type Quality } from "./series";

type Connection = Quality["connections"][number];

const WIDTH = 640;
const HEIGHT = 18;
/** So many are shown at once; the others unfold. */
const SHOWN = 8;

export function history(connections: Connection[], now: number): TemplateResult {
  if (!connections.length) return html`<p class="empty">${t("quality.no_connections")}</p>`;
  const older = connections.slice(SHOWN);
  return html`${strip(connections, now)}${table(connections.slice(0, SHOWN), now)}
    ${older.length ? html`<details class="reception-numbers"><summary>${t("quality.older", { n: older.length })}</summary>${table(older, now)}</details>` : nothing}`;
}

function endOf({ until }: Connection, now: number): number {
  return until === null ? now : Date.parse(until);
}

function strip(connections: Connection[], now: number): TemplateResult {
  const from = now - MONTH_MS;
  const x = (at: number): number => ((Math.max(at, from) - from) / MONTH_MS) * WIDTH;
  return html`<figure class="reception-strip"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${t("quality.strip_label", { n: connections.length })}>
    ${svg`<rect class="gap" width=${WIDTH} height=${HEIGHT} />`}
    ${connections.map((one) => {
      const begin = x(Date.parse(one.since));
      return svg`<rect class="open" x=${begin.toFixed(2)} width=${Math.max(0.6, x(endOf(one, now)) - begin).toFixed(2)} height=${HEIGHT} />`;
    })}
  </svg><figcaption><span>${dayName(from)}</span><span>${clock(now).slice(0, 5)}</span></figcaption></figure>`;
}

function table(connections: Connection[], now: number): TemplateResult {
  return html`<div class="scroll" tabindex="0"><table class="data" data-of="connections"><thead><tr><th scope="col">${t("quality.connected")}</th><th scope="col">${t("quality.ended")}</th><th scope="col" class="number">${t("quality.lasted")}</th></tr></thead>
    <tbody>${connections.map(
      (
        one,
      ) => html`<tr><td>${clock(one.since, true)}</td><td>${one.until === null ? html`<span class="tag good">${t("quality.open")}</span>` : clock(one.until, true)}</td>
        <td class="number">${lasted(endOf(one, now) - Date.parse(one.since))}</td></tr>`,
    )}</tbody></table></div>`;
}

/** A time in its two largest units. */
export function lasted(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (ms < 60_000) return `${number(Math.max(0, Math.round(ms / 1000)))}\u00a0s`;
  if (ms < HOUR_MS) return `${number(minutes)}\u00a0min`;
  if (ms < DAY_MS) return `${number(Math.floor(minutes / 60))}\u00a0h ${number(minutes % 60)}\u00a0min`;
  return `${number(Math.floor(ms / DAY_MS))}\u00a0d ${number(Math.floor((ms % DAY_MS) / HOUR_MS))}\u00a0h`;
}
