// Runs the client for web pages in node, with the WebSocket that socket.io-client brings, and prints what it does.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [, , modules, script, url, token, cookie, origin] = process.argv;
const Plain = createRequire(modules + "/")("ws");
// A browser adds cookie and origin by itself.
const WebSocket = class extends Plain {
  constructor(address, protocols) {
    super(address, protocols, cookie ? { origin, headers: { Cookie: cookie } } : {});
  }
};
const { SkywatchChannel } = await import(pathToFileURL(script).href);
const say = (kind, value) => process.stdout.write(JSON.stringify([kind, value ?? null]) + "\n");

const channel = new SkywatchChannel({
  url, topics: ["aircraft", "safety"], token: async () => token || null, WebSocket,
  onEvent: ({ topic, event, seq, data }) => say(event, { topic, seq, id: data.id, held: [...channel.lists.aircraft.keys()] }),
  onState: (state, detail) => { say("state", [state, detail ?? null]); if (state === "refused") process.exit(0); },
});
channel.start();
