// What skywatch.js takes and gives, by the types of the channel's document.
import type { components } from "./channel.js";

type Messages = components["schemas"];
type Named<M> = M extends { type: "event"; event: string } ? Omit<M, "type"> : never;
export type ChannelEvent = Named<Messages[keyof Messages]>;

export class SkywatchChannel {
  constructor(options: {
    url: string;
    topics: string[];
    token?: () => Promise<string | null>;
    bbox?: [number, number, number, number] | null;
    onEvent?: (event: ChannelEvent) => void;
    onState?: (state: "connecting" | "open" | "waiting" | "refused" | "stopped", detail?: unknown) => void;
  });
  start(): void;
  stop(): void;
  move(bbox: [number, number, number, number] | null): void;
  lists: Record<string, Map<string, Messages["Aircraft"]>>;
}
