// What the map's corner says of its layers: where they are from, and which of them cannot be shown.
import { Cell } from "../../core/cell";
import type { TextKey } from "../../i18n/i18n";
import type { Attribution } from "../ground/base_maps";

export const weatherSource = new Cell<Attribution | null>(null);
export const overlayFailures = new Cell<readonly TextKey[]>([]);

export function noteFailure(text: TextKey, isFailed: boolean): void {
  const { value } = overlayFailures;
  if (value.includes(text) === isFailed) return;
  overlayFailures.set(isFailed ? [...value, text] : value.filter((one) => one !== text));
}
