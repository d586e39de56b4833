// The manual's client for pages on types that openapi-typescript makes of both documents; prints what it saw as JSON
// lines. Nothing here is cast: whatever a document says wrongly does not compile.
import type { components as Rest } from "./rest.js";
import type { components as Channel } from "./channel.js";
import { SkywatchChannel, type ChannelEvent } from "./skywatch.js";

// Only what is broken takes so long: the tracker of a busy machine may be late.
const PATIENCE_MS = 60_000;
declare const process: { argv: string[]; exit(code: number): void };
const [, , baseUrl = "", url = ""] = process.argv;
const say = (kind: string, value: unknown) => console.log(JSON.stringify([kind, value]));

function heightOf(aircraft: Channel["schemas"]["Aircraft"] & Rest["schemas"]["Aircraft"]): number | null {
  return aircraft.alt_baro === "ground" ? 0 : (aircraft.alt_baro ?? null);
}

function take(event: ChannelEvent): void {
  if (event.event === "aircraft:snapshot") say("snapshot", event.data.aircraft.map(heightOf));
  else if (event.event === "aircraft:update") {
    say("update", [event.seq, event.data.since, event.data.removed.length]);
    if (isListed) end();
  }
  else if (event.event === "safety:snapshot") say("safety", event.data.count);
}

function end(): void {
  say("held", [...(channel.lists.aircraft?.values() ?? [])].map((one) => one.hex));
  channel.stop();
  process.exit(0);
}

let opened = 0;
let isListed = false;
const channel = new SkywatchChannel({
  url,
  topics: ["aircraft", "safety"],
  onEvent: take,
  onState: async (state) => {
    if (state !== "open") return;
    say("open", ++opened);
    if (opened < 2) return;
    const answer: Rest["schemas"]["AircraftList"] = await (await fetch(`${baseUrl}/api/v1/aircraft`)).json();
    say("listed", answer.aircraft.map((one) => one.hex));
    isListed = true;
    setTimeout(end, PATIENCE_MS);
  },
});
channel.start();
