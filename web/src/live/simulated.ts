// Whether all aircraft are simulated ones, as a new installation shows them until it has a receiver.
import { Cell } from "../core/cell";
import { preferences } from "../core/preferences";

export const simulated = new Cell<boolean>(false);

/** Whether nobody is to be disturbed with what happens: aircraft that do not exist are in no danger. */
export function isSilent(): boolean {
  return simulated.value && !preferences.value.simulatedNotices;
}
