// The series of a receiver in two spans: the newest day by minute, and thirty days by hour.
import type { Schemas } from "../../session/operations";

export type Quality = Schemas["ReceptionQuality"];
export type Coverage = Schemas["FeederCoverage"];
export type Point = Schemas["QualityPoint"];
export type Figure =
  "messages_s" | "positions_s" | "aircraft" | "max_range_nm" | "strong_share" | "duplicates_share" | "disputes_share";

export const FIGURES: readonly Figure[] = [
  "messages_s",
  "positions_s",
  "aircraft",
  "max_range_nm",
  "strong_share",
  "duplicates_share",
  "disputes_share",
];

/** Whether a figure is a share of all, from 0 to 1. */
export function isShare(figure: Figure): boolean {
  return figure.endsWith("_share");
}
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const MONTH_MS = 30 * DAY_MS;
/** A line of a moment could not be seen. */
const LEAST_MS = 600_000;

export interface Sample {
  /** When it began (ms). */
  at: number;
  values: Record<Figure, number | null>;
}

/** Samples of equal length; what is missing in a span was not observed. */
export interface Span {
  from: number;
  to: number;
  stepMs: number;
  samples: Sample[];
}

/** Points of a length together: means, and the greatest range. */
export function gathered(samples: Sample[], stepMs: number): Sample[] {
  const groups = new Map<number, Sample[]>();
  for (const sample of samples) {
    const at = Math.floor(sample.at / stepMs) * stepMs;
    const group = groups.get(at);
    if (group) group.push(sample);
    else groups.set(at, [sample]);
  }
  return [...groups].map(([at, group]) => ({
    at,
    values: Object.fromEntries(FIGURES.map((figure) => [figure, together(group, figure)])) as Sample["values"],
  }));
}

function together(group: Sample[], figure: Figure): number | null {
  const values = group.map((sample) => sample.values[figure]).filter((value) => value !== null);
  if (!values.length) return null;
  if (figure === "max_range_nm") return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The last 24 hours and the last 30 days of a series, as of now (ms), or what there is of them. */
export function spansOf(series: Point[], now: number): { day: Span; month: Span } {
  const samples = series.map((point) => ({ at: Date.parse(point.at), values: point }));
  const since = now - DAY_MS;
  const begin = Math.min(samples[0]?.at ?? now, now - LEAST_MS);
  return {
    day: { from: Math.max(since, begin), to: now, stepMs: 60_000, samples: samples.filter(({ at }) => at > since) },
    month: {
      from: Math.max(now - MONTH_MS, begin),
      to: now,
      stepMs: HOUR_MS,
      samples: gathered(samples, HOUR_MS).map((one) => ({ ...one, at: Math.max(one.at, begin) })),
    },
  };
}
