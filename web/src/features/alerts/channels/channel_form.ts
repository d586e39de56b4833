// One channel: its kind, where it sends and what. It stands on the page of channels, and within the form of a rule.
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { prefer, preferences } from "../../../core/preferences";
import { t, word, type TextKey } from "../../../i18n/i18n";
import { call } from "../../../session/api";
import type { Body } from "../../../session/operations";
import { session } from "../../../session/session";
import { Task } from "../../../session/task";
import { FEATURES } from "../../../shell/feature";
import { networkOffer } from "./networks";
import { obstacle, subscribe, subscription } from "./push";
import { PRIORITIES, type Channel } from "../types";

const KINDS = ["web_push", "webhook", "apprise", "mqtt"] as const;
const HINTS: Record<string, TextKey> = {
  webhook: "channel.hint_webhook",
  apprise: "channel.hint_apprise",
  mqtt: "channel.hint_mqtt",
  web_push: "channel.hint_web_push",
};
const EXAMPLES: Record<string, string> = {
  webhook: "https://example.org/hook",
  apprise: "ntfys://ntfy.sh/topic",
  mqtt: "alerts",
};
type Draft = Pick<
  Channel,
  "name" | "kind" | "enabled" | "minimum_priority" | "rate_per_minute" | "digest_s" | "send_cleared" | "sources"
> & { address: string };
const FRESH: Draft = {
  name: "",
  kind: "web_push",
  address: "",
  enabled: true,
  minimum_priority: "info",
  rate_per_minute: 30,
  digest_s: null,
  send_cleared: false,
  sources: [],
};

/** A channel that was stored, and the secret of a webhook that was made with it. */
export interface Stored {
  channel: Channel;
  secret: string | null;
}

/** What a channel of this person may subscribe to. */
function offeredSources(): { name: string; title: TextKey }[] {
  return FEATURES.flatMap(({ name, isSource, pages }) => {
    const source = isSource === true ? { title: pages[0].title, isOffered: () => session.canView(name) } : isSource;
    return source && source.isOffered() ? [{ name, title: source.title }] : [];
  });
}

class ChannelForm extends Task {
  static override properties: PropertyDeclarations = { channel: { attribute: false }, isInRule: { attribute: false } };
  protected override readonly fields = ["name", "address", "rate_per_minute", "digest_s", "sources"];
  /** The one that is changed; null: a new one. */
  declare channel: Channel | null;
  /** Whether it stands within the form of a rule, which has a button to save of its own. */
  declare isInRule: boolean;
  private draft: Draft = structuredClone(FRESH);
  private isSubscribed = false;

  constructor() {
    super();
    this.channel = null;
    this.isInRule = false;
  }

  protected override firstUpdated(): void {
    this.querySelector<HTMLElement>("input")?.focus();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.channel) this.draft = { ...this.channel, address: "" };
    void subscription().then((one) => {
      this.isSubscribed = one !== null && preferences.value.browser !== undefined;
      this.requestUpdate();
    });
  }

  private set(change: Partial<Draft>): void {
    Object.assign(this.draft, change);
    this.requestUpdate();
  }

  private readonly save = (event: SubmitEvent): void => {
    event.preventDefault();
    const { name, kind, address, enabled, minimum_priority, rate_per_minute, digest_s, send_cleared } = this.draft;
    const sources = this.draft.sources as Body<"POST alerts/channels/">["sources"];
    const settings = { name, enabled, minimum_priority, rate_per_minute, digest_s, send_cleared, sources };
    void this.attempt(async () => {
      const { channel } = this;
      const stored: Channel & { secret?: string | null } = channel
        ? await call("PATCH alerts/channels/{id}/", {
            path: { id: channel.id },
            body: { ...settings, ...(address ? { address } : {}) },
          })
        : await call("POST alerts/channels/", { body: { ...settings, kind, address } });
      const detail: Stored = { channel: stored, secret: stored.secret ?? null };
      this.dispatchEvent(new CustomEvent<Stored>("stored", { detail }));
    });
  };

  private readonly startPush = (): void => {
    void this.attempt(async () => {
      prefer({ browser: (await subscribe()).id });
      this.isSubscribed = true;
    });
  };

  private leave(): void {
    this.dispatchEvent(new CustomEvent("done"));
  }

  protected override render(): TemplateResult {
    const { draft } = this;
    const isNew = this.channel === null;
    const toggle = (name: string): void =>
      this.set({
        sources: draft.sources.includes(name) ? draft.sources.filter((one) => one !== name) : [...draft.sources, name],
      });
    return html`<form class="form channel-form" @submit=${this.save}>
      <h2>${this.channel?.name ?? t("channel.new")}</h2>
      ${isNew ? html`<div class="field"><span id="channel-kind">${t("kind")}</span><div class="segments" role="group" aria-labelledby="channel-kind">${KINDS.map((one) => html`<button type="button" aria-pressed=${one === draft.kind} @click=${() => this.set({ kind: one })}>${word("channel", one)}</button>`)}</div></div>` : nothing}
      <p class="hint">${t(HINTS[draft.kind])}</p>
      ${isNew && draft.kind === "web_push" ? this.push() : nothing}
      <label><span>${t("name")}</span><input name="name" required maxlength="120" .value=${draft.name} autocomplete="off" aria-invalid=${this.invalid("name")} @input=${(event: Event) => this.set({ name: (event.target as HTMLInputElement).value })} /></label>${this.faultBelow("name")}
      ${
        draft.kind === "web_push"
          ? nothing
          : html`<label><span>${t(isNew ? "channel.address" : "channel.new_address")}</span><input name="address" ?required=${isNew} .value=${draft.address} placeholder=${EXAMPLES[draft.kind]} autocomplete="off" spellcheck="false" aria-invalid=${this.invalid("address")}
            @input=${(event: Event) => this.set({ address: (event.target as HTMLInputElement).value.trim() })} /></label>${this.faultBelow("address")}${this.invalid("address") === nothing ? nothing : networkOffer(draft.address)}`
      }
      <div class="field"><span id="channel-priority">${t("channel.minimum")}</span><div class="segments" role="group" aria-labelledby="channel-priority">${PRIORITIES.map((one) => html`<button type="button" aria-pressed=${one === draft.minimum_priority} @click=${() => this.set({ minimum_priority: one })}>${word("level", one)}</button>`)}</div></div>
      <details ?open=${["rate_per_minute", "digest_s", "sources"].some((name) => this.invalid(name) !== nothing)}><summary>${t("rule.more")}</summary><div class="form">
        <div class="pair">
          <label><span>${t("channel.rate")}</span><input type="number" min="1" max="600" .value=${String(draft.rate_per_minute)} @input=${(event: Event) => this.set({ rate_per_minute: Number((event.target as HTMLInputElement).value) })} /></label>
          <label><span>${t("channel.digest")}</span><span class="with-unit"><input type="number" min="10" max="86400" placeholder=${t("channel.at_once")} .value=${draft.digest_s === null ? "" : String(draft.digest_s)} @input=${(event: Event) => this.set({ digest_s: (event.target as HTMLInputElement).value === "" ? null : Number((event.target as HTMLInputElement).value) })} /><small>s</small></span></label>
        </div>${this.faultBelow("rate_per_minute")}${this.faultBelow("digest_s")}
        <label class="check"><input type="checkbox" .checked=${draft.send_cleared} @change=${() => this.set({ send_cleared: !draft.send_cleared })} /> ${t("channel.cleared")}</label>
        <fieldset><legend class="field-title">${t("channel.sources")}</legend><div class="checks">${offeredSources().map(({ name, title }) => html`<label class="check"><input type="checkbox" .checked=${draft.sources.includes(name)} @change=${() => toggle(name)} /> ${t(title)}</label>`)}</div>${this.faultBelow("sources")}</fieldset>
        <label class="check"><input type="checkbox" .checked=${draft.enabled} @change=${() => this.set({ enabled: !draft.enabled })} /> ${t("rule.enabled")}</label>
      </div></details>
      ${this.fault()}
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${t(this.isInRule ? "channel.make" : "save")}</button><button type="button" @click=${() => this.leave()}>${t("cancel")}</button></div>
    </form>`;
  }

  /** Whether this browser is one of those that are reached, and the way there. */
  private push(): TemplateResult {
    const why = obstacle();
    if (why) return html`<p class="notice-line">${why}</p>`;
    if (this.isSubscribed) return html`<p><span class="tag good">${t("push.on")}</span></p>`;
    return html`<p><button type="button" ?disabled=${this.isBusy} @click=${this.startPush}>${t("push.start")}</button></p>`;
  }
}

customElements.define("sw-channel-form", ChannelForm);
