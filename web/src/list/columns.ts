// The columns that the list can have.
import { html, nothing, svg, type TemplateResult } from "lit";
import { dark, preferences } from "../core/preferences";
import { bare, bearing, unit, type Quantity } from "../ui/units";
import { t, type TextKey } from "../i18n/i18n";
import { CLASSES } from "../live/classes";
import { isAlarming, isEmergency, partsOf } from "../live/filter";
import { live } from "../live/live";
import { FLAG, type Aircraft } from "../live/messages";
import { altitudeColour, css } from "../core/ramp";
import { flag } from "../ui/flag";
import { drawing } from "../ui/icons";
import { marksOf } from "./marks";
import { svgPath } from "../map/planes/shapes";

export interface Column {
  key: string;
  title: TextKey;
  /** Where the head of a narrow column has no room for the title. */
  short?: TextKey;
  quantity?: Quantity;
  isNumber: boolean;
  needs?: "details";
  cell: (aircraft: Aircraft) => TemplateResult | string | typeof nothing;
}

export const onGround = (aircraft: Aircraft): boolean => ((aircraft.flags as number) & FLAG.ground) !== 0;

export function altitudeText(aircraft: Aircraft): string {
  return onGround(aircraft) ? t("aircraft.ground_short") : bare("altitude", aircraft.alt_baro as number | null);
}

function arrow(rate: unknown): string {
  if (typeof rate !== "number" || Math.abs(rate) < 250) return "";
  return rate > 0 ? "↑" : "↓";
}

const shapes = CLASSES.map(svgPath);

export function colourOf(aircraft: Aircraft): string {
  const altitude = typeof aircraft.alt_baro === "number" ? aircraft.alt_baro : Number.NaN;
  return css(altitudeColour(altitude, onGround(aircraft), dark.value));
}

export function silhouette(aircraft: Aircraft, size = 16): TemplateResult {
  return html`<svg class="silhouette" viewBox="-100 -100 200 200" width=${size} height=${size} aria-hidden="true">
    ${svg`<path d=${shapes[(aircraft.drawing as number) ?? 0]} fill=${colourOf(aircraft)} />`}
  </svg>`;
}

/** The registration by which an aircraft was found, which may have no column. */
function found({ flight, r }: Aircraft): TemplateResult | typeof nothing {
  const has = (text: unknown, part: string): boolean =>
    String(text ?? "")
      .toLowerCase()
      .includes(part);
  const isFound = partsOf(live.filter.value.text).some((part) => has(r, part) && !has(flight, part));
  return isFound && !preferences.value.columns.includes("r") ? html`<small class="found">${r}</small>` : nothing;
}

export const COLUMNS: Column[] = [
  {
    key: "flight",
    title: "column.flight",
    isNumber: false,
    cell: (aircraft) => {
      const flags = aircraft.flags as number;
      const marks = marksOf(flags);
      const emergency = isEmergency(flags, aircraft.squawk);
      return html`${silhouette(aircraft)}<b class="callsign">${String(aircraft.flight || aircraft.hex).trim()}</b>${
        emergency
          ? html`<span class="tag ${isAlarming(aircraft, flags) ? "danger" : ""}">${aircraft.squawk ?? "!"}</span>`
          : marks.length
            ? html`<span class="flag-mark" role="img" aria-label=${t(marks[0].title)} title=${t(marks[0].title)}>${drawing(marks[0].icon)}</span>`
            : flags & FLAG.military
              ? html`<span class="tag">${t("aircraft.military_short")}</span>`
              : ""
      }${found(aircraft)}${aircraft.single_source ? html`<span class="tag unconfirmed" role="img" aria-label=${t("aircraft.single_source")} title=${t("aircraft.single_source")}>?</span>` : ""}`;
    },
  },
  { key: "flag", title: "column.flag", isNumber: false, cell: (aircraft) => flag(aircraft.hex) },
  {
    key: "hex",
    title: "column.hex",
    short: "column.hex_short",
    isNumber: false,
    cell: (aircraft) => aircraft.hex.toUpperCase(),
  },
  {
    key: "r",
    title: "column.registration",
    short: "column.registration_short",
    isNumber: false,
    needs: "details",
    cell: (aircraft) => String(aircraft.r ?? ""),
  },
  { key: "route", title: "column.route", isNumber: false, cell: (aircraft) => String(aircraft.route ?? "") },
  { key: "t", title: "column.type", isNumber: false, cell: (aircraft) => String(aircraft.t ?? "") },
  {
    key: "altitude",
    title: "column.altitude",
    short: "column.altitude_short",
    quantity: "altitude",
    isNumber: true,
    cell: (aircraft) => html`<span class="rate">${arrow(aircraft.baro_rate)}</span>${altitudeText(aircraft)}`,
  },
  {
    key: "gs",
    title: "column.speed",
    short: "column.speed_short",
    quantity: "speed",
    isNumber: true,
    cell: (aircraft) => bare("speed", aircraft.gs as number | null),
  },
  {
    key: "distance",
    title: "column.distance",
    short: "column.distance_short",
    quantity: "distance",
    isNumber: true,
    cell: (aircraft) => bare("distance", aircraft.distance as number | null, 1),
  },
  {
    key: "bearing",
    title: "column.bearing",
    short: "column.bearing_short",
    isNumber: true,
    cell: (aircraft) => (aircraft.bearing === null ? "" : bearing(aircraft.bearing as number)),
  },
  {
    key: "track",
    title: "column.track",
    isNumber: true,
    cell: (aircraft) => (typeof aircraft.track === "number" ? bearing(aircraft.track) : ""),
  },
  {
    key: "baro_rate",
    title: "column.rate",
    short: "column.rate_short",
    quantity: "rate",
    isNumber: true,
    cell: (aircraft) => bare("rate", aircraft.baro_rate as number | null),
  },
  { key: "squawk", title: "column.squawk", isNumber: false, cell: (aircraft) => String(aircraft.squawk ?? "") },
  {
    key: "category",
    title: "column.category",
    short: "column.category_short",
    isNumber: false,
    cell: (aircraft) => String(aircraft.category ?? ""),
  },
  {
    key: "rssi",
    title: "column.rssi",
    isNumber: true,
    cell: (aircraft) => (typeof aircraft.rssi === "number" ? aircraft.rssi.toFixed(1) : ""),
  },
  {
    key: "receiver",
    title: "column.receiver",
    short: "column.receiver_short",
    isNumber: false,
    cell: (aircraft) => String(aircraft.receiver ?? ""),
  },
];

export function columnTitle(column: Column): TemplateResult {
  return html`${t(column.short ?? column.title)}${column.quantity ? html` <small>${unit(column.quantity)}</small>` : ""}`;
}
