// The card next to the pointer.
import type Feature from "ol/Feature";
import { html, type TemplateResult } from "lit";
import { measure } from "../ui/units";
import { styled } from "../ui/view";
import { t } from "../i18n/i18n";
import { FLAG, type Aircraft } from "../live/messages";

const WIDTH_PX = 190;

const besides = ([x, y]: [number, number], width: number): { left: string; top: string } => ({
  left: `${x + WIDTH_PX + 24 > width ? x - WIDTH_PX - 16 : x + 16}px`,
  top: `${y + 12}px`,
});

/** An airport: its codes and its name. */
export function airportCard(airport: Feature, at: [number, number], width: number): TemplateResult {
  const [code, icao, name] = ["code", "icao", "name"].map((member) => String(airport.get(member)));
  return html`<div class="hover-card" aria-hidden="true" ${styled(besides(at, width))}>
    <strong>${code === icao ? code : `${code} · ${icao}`}</strong>
    <span>${name}</span>
  </div>`;
}

export function hoverCard(aircraft: Aircraft, at: [number, number], width: number): TemplateResult {
  const ground = ((aircraft.flags as number) & FLAG.ground) !== 0;
  return html`<div class="hover-card" aria-hidden="true" ${styled(besides(at, width))}>
    <strong>${String(aircraft.flight || aircraft.hex).trim()}</strong>
    <span>${[aircraft.t, aircraft.r].filter(Boolean).join(" · ")}</span>
    <span>${ground ? t("aircraft.on_ground") : measure("altitude", aircraft.alt_baro as number)} · ${measure("speed", aircraft.gs as number)}</span>
  </div>`;
}
