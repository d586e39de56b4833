// Requests to the REST API: with the session's token, renewed once when it has run out, and errors as the service says.
import { CREDENTIALS } from "../core/kiosk";
import { session } from "./session";

export const API = new URL("api/v1/", document.baseURI).href;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly errors: { name: string; detail: string }[] = [],
    readonly retryAfterS: number | null = null,
    /** Whether the request was to change something. */
    readonly isChange = false,
  ) {
    super(detail);
  }
}

export interface Options {
  method?: string;
  body?: unknown;
  query?: Record<string, string | number | boolean | null | undefined>;
  signal?: AbortSignal;
  raw?: BodyInit;
  type?: string;
  /** Instead of the session's own token. */
  token?: string;
}

function address(path: string, query: Options["query"] = {}): string {
  const url = new URL(path.replace(/^\//, ""), API);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** The answer itself, for streams and files. */
export async function request(path: string, options: Options = {}, again = true): Promise<Response> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.type) headers["Content-Type"] = options.type;
  const token = options.token ?? session.access;
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer: Response;
  try {
    answer = await fetch(address(path, options.query), {
      method: options.method ?? "GET",
      headers,
      body: options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
      signal: options.signal,
      credentials: CREDENTIALS,
      cache: "no-store",
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "network", String(error), [], null, (options.method ?? "GET") !== "GET");
  }
  if (answer.ok) return answer;
  const problem = await read(answer);
  if (answer.status === 401 && again && (await session.recover(token))) return request(path, options, false);
  throw problem;
}

async function read(answer: Response): Promise<ApiError> {
  const wait = Number(answer.headers.get("Retry-After"));
  const retryAfterS = Number.isFinite(wait) && wait > 0 ? wait : null;
  try {
    const { code, detail, title, errors } = (await answer.json()) as {
      code: string;
      detail?: string;
      title: string;
      errors?: { name: string; detail: string }[];
    };
    return new ApiError(answer.status, code, detail || title, errors ?? [], retryAfterS);
  } catch {
    return new ApiError(answer.status, "unknown", answer.statusText || String(answer.status), [], retryAfterS);
  }
}

export async function call<T>(path: string, options: Options = {}): Promise<T> {
  const answer = await request(path, options);
  return (answer.status === 204 ? null : await answer.json()) as T;
}

/** Objects of a stream of lines, as they come. */
export async function* lines<T>(path: string, options: Options = {}): AsyncGenerator<T> {
  const answer = await request(path, options);
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
