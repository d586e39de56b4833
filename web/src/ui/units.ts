// Aviation's units (ft, kt, nm) are what the service speaks; what is shown follows the reader's choice.
import { locale, number, t } from "../i18n/i18n";
import { preferences, type UnitSystem } from "../core/preferences";
import { dayName } from "./days";

interface Unit {
  factor: number;
  name: string;
}

const UNITS: Record<UnitSystem, Record<"altitude" | "speed" | "distance" | "rate", Unit>> = {
  aviation: {
    altitude: { factor: 1, name: "ft" },
    speed: { factor: 1, name: "kt" },
    distance: { factor: 1, name: "nm" },
    rate: { factor: 1, name: "ft/min" },
  },
  metric: {
    altitude: { factor: 0.3048, name: "m" },
    speed: { factor: 1.852, name: "km/h" },
    distance: { factor: 1.852, name: "km" },
    rate: { factor: 0.00508, name: "m/s" },
  },
  imperial: {
    altitude: { factor: 1, name: "ft" },
    speed: { factor: 1.150779, name: "mph" },
    distance: { factor: 1.150779, name: "mi" },
    rate: { factor: 1, name: "ft/min" },
  },
};
export type Quantity = keyof (typeof UNITS)["aviation"];
/** What the service measures in a unit. */
const QUANTITIES = Object.fromEntries(
  Object.entries(UNITS.aviation).map(([quantity, { name }]) => [name, quantity]),
) as Record<string, Quantity>;
/** Places of a number that a person typed, in the service's unit and in the reader's: a round number stays round. */
const STORED_DIGITS = 4;
const TYPED_DIGITS = 2;

export function unit(quantity: Quantity): string {
  return UNITS[preferences.value.units][quantity].name;
}

/** A value in the reader's unit, without its name. */
export function bare(quantity: Quantity, value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  return number(value * UNITS[preferences.value.units][quantity].factor, digits);
}

/** A value in the reader's unit, with its name; a dash where there is none. */
export function measure(quantity: Quantity, value: number | null | undefined, digits = 0): string {
  const text = bare(quantity, value, digits);
  return text === "" ? "–" : `${text}\u00a0${unit(quantity)}`; // A unit stays on the line of its number.
}

/** What a number in the reader's unit is in aviation's. */
export function toAviation(quantity: Quantity, value: number): number {
  return value / UNITS[preferences.value.units][quantity].factor;
}

export function fromAviation(quantity: Quantity, value: number): number {
  return value * UNITS[preferences.value.units][quantity].factor;
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** Numbers of the service as a person types them: `unitName` is the service's unit, such as `ft`. */
export class TypedUnit {
  private readonly quantity: Quantity | undefined;

  constructor(private readonly unitName: string | undefined) {
    this.quantity = unitName === undefined ? undefined : QUANTITIES[unitName];
  }

  get name(): string | undefined {
    return this.quantity ? unit(this.quantity) : this.unitName;
  }

  /** In the reader's unit; lists member by member, and what is no number as it is. */
  shown(value: unknown): unknown {
    return this.convert(value, (quantity, number) => rounded(fromAviation(quantity, number), TYPED_DIGITS));
  }

  /** In the service's unit. */
  stored(value: unknown): unknown {
    return this.convert(value, (quantity, number) => rounded(toAviation(quantity, number), STORED_DIGITS));
  }

  private convert(value: unknown, change: (quantity: Quantity, value: number) => number): unknown {
    const { quantity } = this;
    if (!quantity || UNITS[preferences.value.units][quantity].factor === 1) return value;
    if (Array.isArray(value)) return value.map((one) => this.convert(one, change));
    return typeof value === "number" ? change(quantity, value) : value;
  }
}

export function bearing(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : `${String(Math.round(value) % 360).padStart(3, "0")}°`;
}

export function age(seconds: number): string {
  if (seconds < 90) return t("time.seconds", { n: Math.max(0, Math.round(seconds)) });
  if (seconds < 5400) return t("time.minutes", { n: Math.round(seconds / 60) });
  if (seconds < 129600) return t("time.hours", { n: Math.round(seconds / 3600) });
  return t("time.days", { n: Math.round(seconds / 86400) });
}

/** A day of the service (`2026-11-22`), short. */
export function day(date: string): string {
  return new Date(`${date}T12:00:00Z`).toLocaleDateString(locale(), {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

/** A time of the day to the second, after its day as people say it (`today`, `28 Nov`) where that is asked for. */
export function clock(at: string | number, withDate = false): string {
  // Two digits: Spanish leaves the first out otherwise, and charts cut the seconds off.
  const parts = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  const time = new Date(at).toLocaleTimeString(locale(), parts);
  return withDate ? `${dayName(at)} ${time}` : time;
}
