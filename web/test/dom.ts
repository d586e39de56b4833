// A document for pages in Node, and the service as they see it: answers by operation, typed by the OpenAPI document.
// Imported before the pages: their elements are defined in the document that is here.
import { after } from "node:test";
import { Window } from "happy-dom";
import catalogue from "../generated/texts.json";
import type { Answer, Operation, ProblemCode, Query, Schemas } from "../src/session/operations";

const window = new Window({ url: "http://skywatch.test/" });
/** What Node has as well, and pages use on elements of the document. */
const OF_THE_DOCUMENT = [
  "Event",
  "CustomEvent",
  "EventTarget",
  "FormData",
  "navigator",
  "localStorage",
  "sessionStorage",
];
for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(window))) {
  if (!(name in globalThis) || OF_THE_DOCUMENT.includes(name))
    Object.defineProperty(globalThis, name, { ...property, configurable: true });
}
for (const name of [
  "addEventListener",
  "removeEventListener",
  "dispatchEvent",
  "getComputedStyle",
  "matchMedia",
] as const)
  Object.defineProperty(globalThis, name, { value: window[name].bind(window), configurable: true });
Object.assign(globalThis, { window: globalThis, self: globalThis, confirm: () => true });
/** The worker of the channel has nothing to say. */
class SilentWorker extends EventTarget {
  postMessage(): void {}
  terminate(): void {}
}
Object.assign(globalThis, { Worker: SilentWorker });
after(() => window.happyDOM.close());

/** What a page asked for. */
export interface Asked {
  operation: string;
  path: string[];
  query: Record<string, string>;
  body: unknown;
}

/** A problem in the place of an answer. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly code: ProblemCode,
    readonly errors: Schemas["ProblemError"][] = [],
  ) {}
}

type Reply<K extends Operation> = (asked: Asked & { query: Query<K> }) => Answer<K> | Refusal;
type Replies = { [K in Operation]?: Reply<K> };

/** Answer like the service from now on. Returns what is asked, as it comes; whatever is not named here cannot be reached. */
export function serve(replies: Replies): Asked[] {
  const list: Asked[] = [];
  globalThis.fetch = async (input, options) => {
    const url = new URL(String(input));
    if (url.protocol === "file:") return Response.json(english());
    const method = options?.method ?? "GET";
    const path = url.pathname.replace("/api/v1/", "");
    for (const [operation, reply] of Object.entries(replies) as [string, (asked: Asked) => unknown][]) {
      const [verb, template] = operation.split(" ");
      const parts = new RegExp(`^${template.replace(/\{\w+\}/g, "([^/]+)")}$`).exec(path);
      if (verb !== method || !parts) continue;
      const body = typeof options?.body === "string" ? bodyOf(options.body) : undefined;
      const asked = { operation, path: parts.slice(1), query: Object.fromEntries(url.searchParams), body };
      list.push(asked);
      return answerOf(await Promise.resolve(reply(asked)));
    }
    throw new TypeError(`nobody answers ${method} ${path}`);
  };
  return list;
}

/** What was sent: a document, or a text such as that of a list. */
function bodyOf(text: string): unknown {
  return /^[{["]/.test(text) ? (JSON.parse(text) as unknown) : text;
}

/** The service cannot be reached. */
export function nobody(): never {
  throw new TypeError("nobody answers");
}

function answerOf(reply: unknown): Response {
  if (reply instanceof Response) return reply; // A stream of lines.
  if (reply === null) return new Response(null, { status: 204 });
  if (!(reply instanceof Refusal)) return Response.json(reply);
  const { status, code, errors } = reply;
  return Response.json(
    { type: `urn:skywatch:problem:${code}`, title: code, detail: code, status, code, errors },
    { status },
  );
}

function english(): Record<string, string> {
  return Object.fromEntries(Object.entries(catalogue).map(([key, [text]]) => [key, text]));
}

/** A page of a list. */
export const PAGE = { next: null, previous: null, limit: 50, offset: 0 };

/** Show an element, once it has read what it shows. */
export async function show(tag: string, members: object = {}): Promise<HTMLElement> {
  document.body.replaceChildren();
  const element = Object.assign(document.createElement(tag), members);
  document.body.append(element);
  await settled();
  return element;
}

/** Let answers arrive and elements render. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Type into a field, as a person does. */
export function type(element: Element, selector: string, text: string): void {
  const field = element.querySelector<HTMLInputElement>(selector)!;
  field.value = text;
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
}

/** Send the form in an element. */
export async function submit(element: Element): Promise<void> {
  element.querySelector("form.form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  await settled();
}

export function press(element: Element, name: string): void {
  [...element.querySelectorAll("button")].find((one) => one.textContent!.trim() === name)!.click();
}
