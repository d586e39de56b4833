// Drives the real JavaScript socket.io-client: reads a scenario from argv, prints what it saw as JSON lines.
import { createRequire } from "node:module";
import readline from "node:readline";

const [, , modules, url, auth, topics] = process.argv;
const { io } = createRequire(modules + "/")("socket.io-client");
const say = (kind, value) => process.stdout.write(JSON.stringify([kind, value ?? null]) + "\n");

const socket = io(url, { transports: ["websocket"], auth: JSON.parse(auth), reconnection: false });
socket.on("connect", () => {
  say("connect");
  if (topics) socket.emit("subscribe", { topics: topics.split(",") }, (answer) => say("ack", answer));
});
socket.on("connect_error", (error) => { say("connect_error", error.message); process.exit(0); });
socket.on("disconnect", (reason) => { say("disconnect", reason); process.exit(0); });
socket.onAny((event, data) => say(event, data));
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [event, data] = JSON.parse(line);
  if (event === "bye") { socket.disconnect(); return; }
  socket.emit(event, data);
});
