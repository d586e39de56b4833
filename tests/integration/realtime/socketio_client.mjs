// Drives the real JavaScript socket.io-client: reads a scenario from argv, prints what it saw as JSON lines.
// Options are those of io() in addition to auth; without any the client connects as in every tutorial.
import { createRequire } from "node:module";
import readline from "node:readline";

const [, , modules, url, auth, topics, options] = process.argv;
const { io } = createRequire(modules + "/")("socket.io-client");
const say = (kind, value) => process.stdout.write(JSON.stringify([kind, value ?? null]) + "\n");
const more = JSON.parse(options || "{}");
const stays = more.reconnection ?? true;

const socket = io(url, { auth: JSON.parse(auth), ...more });
socket.io.on("open", () => {
  say("open", socket.io.engine.transport.name);
  socket.io.engine.once("upgrade", (transport) => say("upgrade", transport.name));
});
socket.on("connect", () => {
  say("connect");
  if (topics) socket.emit("subscribe", { topics: topics.split(",") }, (answer) => say("ack", answer));
});
socket.on("connect_error", (error) => {
  say("connect_error", error.message);
  if (error.data) say("connect_error_data", error.data);
  if (!stays) process.exit(0);
});
// Who says goodbye stays until the test ends it: the last packets are still to be sent.
socket.on("disconnect", (reason) => {
  say("disconnect", reason);
  if (!stays && reason !== "io client disconnect") process.exit(0);
});
socket.onAny((event, data) => say(event, data));
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [event, data] = JSON.parse(line);
  if (event === "bye") { socket.disconnect(); return; }
  socket.emit(event, data);
});
