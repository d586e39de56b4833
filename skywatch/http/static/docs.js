// Shows openapi.json and asyncapi.json: one foldable entry an operation, built with DOM calls only (nothing is parsed as HTML).
"use strict";

// Next to this script, below whatever prefix the service has.
const DOCUMENT = new URL("../../openapi.json", document.currentScript.src).href;
const CHANNEL = new URL("../../asyncapi.json", document.currentScript.src).href;

// The first requests name this service, so that they can be copied.
for (const node of document.querySelectorAll(".address")) node.textContent = new URL(".", DOCUMENT).href;

function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  for (const child of children) node.append(child);
  return node;
}

function resolve(spec, schema, depth) {
  if (!schema || depth > 6) return {};
  if (schema.$ref) return resolve(spec, spec.components.schemas[schema.$ref.split("/").pop()], depth + 1);
  return schema;
}

function typeName(spec, schema) {
  if (!schema) return "any";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map((s) => typeName(spec, s)).join(" or ");
  if (schema.type === "array") return "list of " + typeName(spec, schema.items);
  return (schema.enum ? schema.enum.join(" | ") : schema.format || schema.type || "any");
}

function limits(schema) {
  const names = ["minimum", "maximum", "minLength", "maxLength", "default", "pattern"];
  return names.filter((n) => schema[n] !== undefined).map((n) => `${n} ${schema[n]}`).join(", ");
}

function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((h) => element("th", {}, h)));
  return element("table", {}, head, ...rows.map((row) => element("tr", {}, ...row.map((c) => element("td", {}, c)))));
}

function fields(spec, schema) {
  const whole = resolve(spec, schema, 0);
  if (whole.type === "array") return fields(spec, whole.items);
  if (!whole.properties) return element("p", { class: "dim" }, typeName(spec, schema));
  const required = new Set(whole.required || []);
  return table(["field", "type", "meaning"], Object.entries(whole.properties).map(([name, part]) => [
    element("code", {}, name + (required.has(name) ? "" : " ?")),
    typeName(spec, part),
    [part.description || "", limits(part)].filter(Boolean).join(" · "),
  ]));
}

function operationView(spec, path, method, operation) {
  const view = element("details", { "data-text": `${method} ${path} ${operation.summary} ${operation["x-permission"] || ""}`.toLowerCase() });
  view.append(element("summary", {},
    element("span", { class: `method ${method}` }, method.toUpperCase()),
    element("span", { class: "path" }, path), " ",
    element("span", { class: "summary" }, operation.summary || "")));
  // The inside is built when it is first opened: there are many operations.
  view.addEventListener("toggle", () => {
    if (view.dataset.built) return;
    view.dataset.built = "yes";
    if (operation.description) view.append(element("p", {}, operation.description));
    if (operation["x-permission"]) view.append(element("p", {}, "Permission: ", element("code", {}, operation["x-permission"])));
    if (operation.parameters) {
      view.append(element("h4", {}, "Parameters"), table(["name", "in", "type", "meaning"], operation.parameters.map((p) => [
        element("code", {}, p.name + (p.required ? "" : " ?")), p.in, typeName(spec, p.schema),
        [p.description || "", limits(p.schema)].filter(Boolean).join(" · ")])));
    }
    if (operation.requestBody) {
      for (const [type, content] of Object.entries(operation.requestBody.content)) {
        view.append(element("h4", {}, `Body (${type})`), fields(spec, content.schema));
      }
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      const content = Object.entries(response.content || {});
      view.append(element("h4", {}, `${status}: ${response.description}`));
      for (const [type, body] of content) {
        if (type === "application/problem+json") continue;
        view.append(body.schema ? fields(spec, body.schema) : element("p", { class: "dim" }, type));
      }
    }
  });
  return view;
}

// A message of the real-time channel: what the native protocol has in a frame.
function messageView(spec, key) {
  const message = spec.components.messages[`native.${key}`];
  const command = spec.operations[`native.${key}`];
  const { topic, data } = message.payload.properties;
  const name = topic && topic.const ? `${message.name} (topic ${topic.const})` : message.name;
  const view = element("details", { "data-text": `channel ${name} ${message.title} ${message["x-permission"] || ""}`.toLowerCase() });
  view.append(element("summary", {},
    element("span", { class: `method ${command ? "post" : "get"}` }, command ? "YOU SEND" : "TO YOU"),
    element("span", { class: "path" }, name), " ",
    element("span", { class: "summary" }, message.title || "")));
  view.addEventListener("toggle", () => {
    if (view.dataset.built) return;
    view.dataset.built = "yes";
    if (message["x-permission"]) view.append(element("p", {}, "Permission: ", element("code", {}, message["x-permission"])));
    view.append(fields(spec, message.payload));
    if (data && data.$ref) view.append(element("h4", {}, `data: ${typeName(spec, data)}`), fields(spec, data));
    if (command) {
      const answers = command.reply.messages.map((m) => m.$ref.split("/").pop());
      view.append(element("p", {}, `Answered by ${answers.join(" or ")}.`));
    }
  });
  return view;
}

async function showChannel(main) {
  const response = await fetch(CHANNEL);
  if (!response.ok) return;
  const spec = await response.json();
  const codes = table(["close code", "message", "cause"], spec["x-close-codes"].map((c) => [String(c.code), c.message, element("code", {}, c.cause)]));
  main.append(element("section", {},
    element("h2", {}, "real-time channel"),
    element("p", {}, "The same as ", element("a", { href: CHANNEL }, "asyncapi.json"),
      ". In Socket.IO the name is that of the event, and data has topic, epoch and seq among its members."),
    ...Object.keys(spec.channels.native.messages).map((key) => messageView(spec, key)), codes));
}

async function start() {
  const about = document.getElementById("about");
  const response = await fetch(DOCUMENT);
  if (!response.ok) { about.textContent = `openapi.json cannot be read (${response.status}).`; return; }
  const spec = await response.json();
  const byTag = new Map();
  for (const [path, methods] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0];
      if (!byTag.has(tag)) byTag.set(tag, []);
      byTag.get(tag).push(operationView(spec, path, method, operation));
    }
  }
  about.replaceChildren(`Version ${spec.info.version}. Every error is application/problem+json with a stable code. The same as `,
    element("a", { href: DOCUMENT }, "openapi.json"), ".");
  const main = document.getElementById("operations");
  for (const tag of [...byTag.keys()].sort()) main.append(element("section", {}, element("h2", {}, tag), ...byTag.get(tag)));
  await showChannel(main);
  document.getElementById("find").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const section of main.children) {
      let shown = 0;
      for (const view of section.querySelectorAll("details")) {
        view.hidden = !view.dataset.text.includes(wanted);
        shown += view.hidden ? 0 : 1;
      }
      section.hidden = shown === 0;
    }
  });
}

start();
