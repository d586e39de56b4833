// Requests to the REST API: typed by its OpenAPI document, with the session's token, renewed once when it has run out, and
// errors as the service says.
import { CREDENTIALS } from "../core/kiosk";
import { saidIn } from "../i18n/i18n";
import type { Answer, Operation, ProblemCode, RequestArguments, Schemas } from "./operations";
import { session } from "./session";

const API = new URL("api/v1/", document.baseURI).href;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** That of the service's problem; `network`: nobody answered; `unknown`: the answer was no problem. */
    readonly code: ProblemCode | "network" | "unknown",
    detail: string,
    readonly errors: { name: string; detail: string }[] = [],
    readonly retryAfterS: number | null = null,
    /** Whether the request was to change something. */
    readonly isChange = false,
  ) {
    super(detail);
  }
}

type Value = string | number | boolean | null | undefined;

export interface Options {
  method: string;
  path?: Record<string, string | number>;
  query?: Record<string, Value | readonly Value[]>;
  body?: unknown;
  /** The body of another media type than JSON. */
  raw?: BodyInit;
  type?: string;
  signal?: AbortSignal;
  /** Instead of the session's own token. */
  token?: string;
  /** Whether the session is renewed and the request repeated after an answer of 401; true by default. */
  again?: boolean;
}

/** Fetch an address of this installation; raises ApiError for every answer that is a problem, or none. */
export async function send(address: string, options: Options): Promise<Response> {
  const { method, body, raw, type = body === undefined ? undefined : "application/json", signal } = options;
  const token = options.token ?? session.access;
  const headers: Record<string, string> = {};
  if (type) headers["Content-Type"] = type;
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer: Response;
  try {
    answer = await fetch(address, {
      method,
      headers,
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
      signal,
      credentials: CREDENTIALS,
      cache: "no-store",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "network", String(error), [], null, method !== "GET");
  }
  if (answer.ok) return answer;
  const problem = await problemOf(answer);
  if (answer.status === 401 && options.again !== false && (await session.recover(token)))
    return send(address, { ...options, again: false });
  throw problem;
}

async function problemOf(answer: Response): Promise<ApiError> {
  const wait = Number(answer.headers.get("Retry-After"));
  const retryAfterS = Number.isFinite(wait) && wait > 0 ? wait : null;
  try {
    const problem = (await answer.json()) as Schemas["ProblemDocument"];
    const errors = (problem.errors ?? []).map((error) => ({ name: error.name, detail: saidIn(error, "detail") }));
    return new ApiError(answer.status, problem.code, saidIn(problem, "detail") || problem.title, errors, retryAfterS);
  } catch {
    return new ApiError(answer.status, "unknown", answer.statusText || String(answer.status), [], retryAfterS);
  }
}

/** The answer of an operation itself, for streams and files. */
export async function ask<K extends Operation>(operation: K, ...[request]: RequestArguments<K>): Promise<Response> {
  const [method, template] = operation.split(" ");
  const options: Options = { ...request, method };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.path![name]));
  const url = new URL(path, API);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return send(url.href, options);
}

/** What an operation answers. */
export async function call<K extends Operation>(operation: K, ...request: RequestArguments<K>): Promise<Answer<K>> {
  const answer = await ask(operation, ...request);
  return (answer.status === 204 ? null : await answer.json()) as Answer<K>;
}

/** Objects of a stream of lines, as they come. */
export async function* lines<T>(answer: Response): AsyncGenerator<T> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop()!;
    for (const part of parts) if (part) yield JSON.parse(part) as T;
  }
  if (rest.trim()) yield JSON.parse(rest) as T;
}

/** The query of the next page, from the link to it. */
export function queryOf(next: string): Record<string, string> {
  return Object.fromEntries(new URL(next, location.href).searchParams);
}
