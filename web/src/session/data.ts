// Files in readsb's form (`/data/...`), which need no page of the API's own.
import { CREDENTIALS } from "../core/kiosk";
import { session } from "./session";

const ANSWER_MS = 15_000;

/** The text of a file; null where there is none, or nobody answers. */
export async function dataText(name: string): Promise<string | null> {
  const token = session.access;
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  try {
    const answer = await fetch(new URL(`data/${name}`, document.baseURI), {
      headers,
      cache: "no-store",
      credentials: CREDENTIALS,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null; // What needs it does without, and is complete once it has been watched for a while.
  }
}

export async function dataFile<T>(name: string): Promise<T | null> {
  const text = await dataText(name);
  return text === null ? null : (JSON.parse(text) as T);
}
