// The card next to the pointer.
import { html, type TemplateResult } from "lit";
import { measure } from "../ui/units";
import { styled } from "../ui/view";
import { t } from "../i18n/i18n";
import { FLAG, type Aircraft } from "../live/messages";

const WIDTH_PX = 190;

export function hoverCard(aircraft: Aircraft, [x, y]: [number, number], width: number): TemplateResult {
  const left = x + WIDTH_PX + 24 > width ? x - WIDTH_PX - 16 : x + 16;
  const ground = ((aircraft.flags as number) & FLAG.ground) !== 0;
  return html`<div class="hover-card" aria-hidden="true" ${styled({ left: `${left}px`, top: `${y + 12}px` })}>
    <strong>${String(aircraft.flight || aircraft.hex).trim()}</strong>
    <span>${[aircraft.t, aircraft.r].filter(Boolean).join(" · ")}</span>
    <span>${ground ? t("aircraft.on_ground") : measure("altitude", aircraft.alt_baro as number)} · ${measure("speed", aircraft.gs as number)}</span>
  </div>`;
}
