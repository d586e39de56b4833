// A TypeScript program on the types that openapi-typescript makes of our document; prints what it saw as JSON lines.
// Nothing here is cast: whatever the document says wrongly does not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[]; exitCode: number };
const [, , baseUrl = "", username = "", password = ""] = process.argv;
const say = (kind: string, value: unknown) => console.log(JSON.stringify([kind, value]));
type Aircraft = components["schemas"]["Aircraft"];

function check<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const api = createClient<paths>({ baseUrl });
const { access } = check(await api.POST("/api/v1/auth/login", { body: { username, password } }));
api.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${access}`);
    return request;
  },
});

let aircraft: Aircraft[] = [];
while (aircraft.length < 2) {
  aircraft = check(await api.GET("/api/v1/aircraft", { params: { query: { limit: 50 } } })).aircraft;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const heights = aircraft.map((one) => (one.alt_baro === "ground" ? 0 : (one.alt_baro ?? null)));
say("heights", heights);
const hex = aircraft.slice(0, 2).map((one) => one.hex);
const two = check(await api.GET("/api/v1/aircraft", { params: { query: { hex } } }));
say("chosen", [hex, two.aircraft.map((one) => one.hex)]);

const created = check(await api.POST("/api/v1/auth/api-keys", { body: { name: "typed", scopes: ["aircraft"] } }));
const byKey = createClient<paths>({ baseUrl, headers: { "X-API-Key": created.key } });
say("by key", (await byKey.GET("/api/v1/aircraft/stats")).response.status);
say("beyond its scope", (await byKey.GET("/api/v1/history/flights")).error?.code);
const path = { id: created.id };
say("deleted", (await api.DELETE("/api/v1/auth/api-keys/{id}", { params: { path } })).response.status);

const pages = [];
for (const offset of [0, 1]) {
  const page = check(await api.GET("/api/v1/users", { params: { query: { limit: 1, offset } } }));
  pages.push([page.count, page.users.map((one) => one.username)]);
}
say("pages", pages);

let positions = 0;
for (let round = 0; round < 200 && !positions; round++) {
  const now = Date.now();
  const query = { from: new Date(now - 30_000).toISOString(), to: new Date(now).toISOString(), step_s: 5 };
  const { data, error } = await api.GET("/api/v1/history/replay", { params: { query }, parseAs: "stream" });
  if (!data) throw new Error(JSON.stringify(error));
  const reader = data.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value;
  for (const line of text.split("\n").filter(Boolean)) {
    const frame: { aircraft?: unknown[] } = JSON.parse(line);
    positions += frame.aircraft?.length ?? 0;
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
}
say("replayed", positions > 0);
