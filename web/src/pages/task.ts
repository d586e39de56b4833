// The base of pages that ask the service for something: one fault at a time, shown where the person works.
import { html, nothing, type TemplateResult } from "lit";
import { View } from "../core/view";
import { t } from "../i18n/i18n";
import { ApiError, call } from "../session/api";

/** What went wrong, for people: the fields that the service names, else its sentence. */
export function faultText(error: unknown): string {
  if (error instanceof ApiError && error.code === "network") return t("state.lost");
  if (error instanceof ApiError && error.errors.length) return error.errors.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
  return String(error instanceof Error ? error.message : error);
}

export abstract class Task extends View {
  protected error = "";
  protected isBusy = false;
  /** The fields that the service did not take, by their place in the body. */
  protected faults: Record<string, string> = {};

  protected async attempt(work: () => Promise<void>): Promise<boolean> {
    this.isBusy = true;
    this.requestUpdate();
    let isDone = false;
    try {
      await work();
      this.error = "";
      this.faults = {};
      isDone = true;
    } catch (error) {
      this.error = faultText(error);
      this.faults = error instanceof ApiError ? Object.fromEntries(error.errors.map(({ name, detail }) => [name, detail])) : {};
    }
    this.isBusy = false;
    this.requestUpdate();
    return isDone;
  }

  protected fault(): TemplateResult | typeof nothing {
    return this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing;
  }
}

/** All entries of a list that comes in pages of a cursor or an offset. */
export async function all<T>(path: string, name: string): Promise<T[]> {
  const found: T[] = [];
  let query: Record<string, string> = { limit: "500" };
  for (;;) {
    const answer = await call<Record<string, unknown>>(path, { query });
    found.push(...(answer[name] as T[]));
    const next = answer.next as string | null;
    if (!next) return found;
    query = Object.fromEntries(new URL(next, location.href).searchParams);
  }
}
