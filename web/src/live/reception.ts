// The states of receivers, and which of them are silent although they should not be.
export interface ReceiverState {
  name: string;
  kind: string;
  address: string;
  state: string;
  reconnects: number;
  last_error: string | null;
  since: string | null;
}

/** The receivers that should work and do not, and say why. */
export function silentOf(receivers: readonly ReceiverState[]): ReceiverState[] {
  return receivers.filter(
    ({ state, last_error }) => (state === "waiting" || state === "failed") && last_error !== null,
  );
}
