// The states of receivers, and which of them are silent although they should not be.
import type { Schemas } from "../session/operations";

export type ReceiverState = Pick<
  Schemas["ReceiverState"],
  | "name"
  | "kind"
  | "address"
  | "state"
  | "reconnects"
  | "last_error"
  | "last_error_code"
  | "last_error_params"
  | "since"
>;

/** The receivers that should work and do not, and say why. */
export function silentOf(receivers: readonly ReceiverState[]): ReceiverState[] {
  return receivers.filter(
    ({ state, last_error }) => (state === "waiting" || state === "failed") && last_error !== null,
  );
}
