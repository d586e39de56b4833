// The base of pages that ask the service for something: one fault at a time, shown where the person works.
import { html, nothing, type TemplateResult } from "lit";
import { View } from "../ui/view";
import { t } from "../i18n/i18n";
import { call, queryOf } from "./api";
import { faultOf, fieldFaults, faultText, isAway } from "./fault";
import type { Answer, Entries, Listing, Page, RequestArguments } from "./operations";

const READ_AGAIN_MS = 5000;

/** An answer that comes too late: what is shown is newer. */
class Superseded extends Error {}

export abstract class Task extends View {
  protected error = "";
  protected isBusy = false;
  /** The fields that the service did not take, by their place in the body. */
  protected faults: Record<string, string> = {};
  /** Fields of the form whose faults stand below them. */
  protected readonly fields: readonly string[] = [];
  /** Whether the page has read its list: before, an empty one means nothing. */
  protected hasRead = false;
  private away = false;
  private attempts = 0;
  /** How often the list was asked for, and the newest of these that was answered. */
  private requested = 0;
  private answered = 0;
  private changes = 0;
  private rereads = new Map<string, ReturnType<typeof setTimeout>>();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const timer of this.rereads.values()) clearTimeout(timer);
    this.rereads.clear();
  }

  /** Read a part of the page; while the service cannot be reached, again and again. The newest reading of a part counts. */
  protected async attemptRead(work: () => Promise<unknown>, part = "list"): Promise<boolean> {
    clearTimeout(this.rereads.get(part));
    const isDone = await this.attempt(async () => void (await work()));
    if (isDone && part === "list") {
      this.hasRead = true;
      this.afterRead();
    }
    if (!isDone && this.away && this.isConnected) this.readAgainSoon(work, part);
    this.requestUpdate();
    return isDone;
  }

  private readAgainSoon(work: () => Promise<unknown>, part: string): void {
    clearTimeout(this.rereads.get(part));
    this.rereads.set(
      part,
      setTimeout(() => void this.attemptRead(work, part), READ_AGAIN_MS),
    );
  }

  /** The whole list, unless a later request for it has been answered: then nothing follows from this one. */
  protected async asList<T>(asking: Promise<T>): Promise<T> {
    const number = ++this.requested;
    await Promise.allSettled([asking]);
    if (number < this.answered) throw new Superseded();
    this.answered = number;
    this.changes += 1;
    return asking;
  }

  /** The next page of the list, unless the list has changed since it was asked for. */
  protected async asNextPage<T>(asking: Promise<T>): Promise<T> {
    const { changes } = this;
    const answer = await asking;
    if (changes !== this.changes) throw new Superseded();
    this.changes += 1;
    return answer;
  }

  protected async attempt(work: () => Promise<void>): Promise<boolean> {
    const number = ++this.attempts;
    this.isBusy = true;
    this.requestUpdate();
    let isDone = false;
    try {
      await work();
      this.error = "";
      this.faults = {};
      isDone = true;
    } catch (error) {
      if (!(error instanceof Superseded)) {
        this.error = faultText(error, this.fields);
        this.away = isAway(error);
        this.faults = fieldFaults(error);
      }
    }
    if (number === this.attempts) this.isBusy = false;
    this.requestUpdate();
    return isDone;
  }

  /** What follows from the list that was read. */
  protected afterRead(): void {}

  /** What stands in the place of a list without entries. */
  protected emptyList(text: string | TemplateResult): TemplateResult | typeof nothing {
    if (this.hasRead) return html`<p class="empty">${text}</p>`;
    return this.error ? nothing : html`<p class="empty" role="status">${t("loading")}</p>`;
  }

  /** The fault of a field, which stands below it. */
  protected faultBelow(field: string): TemplateResult | typeof nothing {
    return fieldFaultBelow(this.faults, field);
  }

  protected invalid(field: string): "true" | typeof nothing {
    return faultOf(this.faults, field) ? "true" : nothing;
  }

  protected fault(): TemplateResult | typeof nothing {
    return this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing;
  }
}

export function fieldFaultBelow(faults: Record<string, string>, field: string): TemplateResult | typeof nothing {
  const detail = faultOf(faults, field);
  return detail ? html`<p class="field-fault" role="alert">${detail}</p>` : nothing;
}

/** All entries of a list that comes in pages of a cursor or an offset. */
export async function all<K extends Listing, N extends keyof Answer<K>>(
  operation: K,
  name: N,
): Promise<Entries<K, N>[]> {
  const entries: Entries<K, N>[] = [];
  let query: Record<string, string> = { limit: "500" };
  for (;;) {
    const answer = await call(operation, ...([{ query }] as RequestArguments<K>));
    entries.push(...(answer[name] as Entries<K, N>[]));
    const { next } = answer as Page;
    if (!next) return entries;
    query = queryOf(next);
  }
}
