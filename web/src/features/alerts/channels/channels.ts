// Channels: where alerts are sent; made, tried out, given a new secret, and this browser's Web Push.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../../../core/address";
import { prefer, preferences } from "../../../core/preferences";
import { clock } from "../../../ui/units";
import { t, word, type TextKey } from "../../../i18n/i18n";
import { call } from "../../../session/api";
import { session } from "../../../session/session";
import type { Body, Schemas } from "../../../session/operations";
import { inform } from "../../../ui/announce";
import { FEATURES, pageOf } from "../../../shell/feature";
import { drawing, icon } from "../../../ui/icons";
import { Task, all } from "../../../session/task";
import { go } from "../address";
import { obstacle, subscribe, subscription, unsubscribe } from "./push";
import { PRIORITIES, may, type Channel } from "../types";

const KINDS = ["web_push", "webhook", "apprise", "mqtt"] as const;
const STATE_TAG: Record<string, string> = { healthy: "good", failing: "warning", disabled: "danger" };
type Draft = Pick<
  Channel,
  "name" | "kind" | "enabled" | "minimum_priority" | "rate_per_minute" | "digest_s" | "send_cleared" | "sources"
> & { id: number | null; address: string };
const FRESH: Draft = {
  id: null,
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

/** What a channel of this person may subscribe to. */
function offeredSources(): { name: string; title: TextKey }[] {
  return FEATURES.flatMap(({ name, isSource, pages }) => {
    const source = isSource === true ? { title: pages[0].title, isOffered: () => session.canView(name) } : isSource;
    return source && source.isOffered() ? [{ name, title: source.title }] : [];
  });
}

class Channels extends Task {
  protected override readonly fields = ["name", "address", "rate_per_minute", "digest_s", "sources"];
  private channels: Channel[] = [];
  private browsers: Schemas["BrowserRecord"][] = [];
  private draft: Draft | null = null;
  /** A secret that was just made: it is shown once. */
  private secret: { name: string; value: string } | null = null;
  private tested: Record<number, Schemas["TestResult"]> = {};
  private isSubscribed = false;
  private stop: (() => void) | null = null;

  constructor() {
    super();
    this.watch(route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stop = route.subscribe(() => this.choose());
    void this.attemptRead(() => this.read());
  }

  protected override afterRead(): void {
    this.choose();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.secret = null;
    this.stop?.();
  }

  private async read(): Promise<void> {
    [this.channels, this.browsers] = await Promise.all([
      all("GET alerts/channels/", "channels"),
      all("GET alerts/browsers/", "browsers"),
    ]);
    this.isSubscribed = this.browsers.some((browser) => this.isThis(browser)) && (await subscription()) !== null;
  }

  private choose(): void {
    const { id } = route.value.query;
    const chosen = this.channels.find((channel) => String(channel.id) === id);
    this.draft = id === "new" ? { ...FRESH } : chosen ? { ...chosen, address: "" } : null;
    if (this.draft) this.secret = null;
    this.requestUpdate();
  }

  private again(work: () => Promise<unknown>): void {
    void this.attempt(async () => {
      await work();
      await this.read();
    });
  }

  private set(change: Partial<Draft>): void {
    Object.assign(this.draft!, change);
    this.requestUpdate();
  }

  private readonly save = (event: SubmitEvent): void => {
    event.preventDefault();
    const draft = this.draft!;
    const { name, kind, address, enabled, minimum_priority, rate_per_minute, digest_s, send_cleared } = draft;
    const sources = draft.sources as Body<"POST alerts/channels/">["sources"];
    const settings = { name, enabled, minimum_priority, rate_per_minute, digest_s, send_cleared, sources };
    void this.attempt(async () => {
      let secret: string | null = null;
      if (draft.id === null)
        ({ secret } = await call("POST alerts/channels/", { body: { ...settings, kind, address } }));
      else {
        const body = { ...settings, ...(address ? { address } : {}) };
        await call("PATCH alerts/channels/{id}/", { path: { id: draft.id }, body });
      }
      await this.read();
      go("channels");
      this.secret = secret ? { name, value: secret } : null;
      inform(t("saved"));
    });
  };

  private erase(channel: Channel): void {
    if (!confirm(t("channel.delete_sure", { name: channel.name }))) return;
    this.again(() => call("DELETE alerts/channels/{id}/", { path: { id: channel.id } }));
  }

  private rotate(channel: Channel): void {
    if (!confirm(t("channel.rotate_sure", { name: channel.name }))) return;
    this.again(async () => {
      const { secret } = await call("POST alerts/channels/{id}/rotate-secret/", { path: { id: channel.id } });
      this.secret = secret ? { name: channel.name, value: secret } : null;
    });
  }

  private test(channel: Channel): void {
    this.again(async () => {
      delete this.tested[channel.id];
      this.tested[channel.id] = await call("POST alerts/channels/{id}/test/", { path: { id: channel.id } });
    });
  }

  protected override render(): TemplateResult {
    return this.draft ? this.editor(this.draft) : this.overview();
  }

  private overview(): TemplateResult {
    return html`<div class="bar">${may("create") ? html`<button class="primary" @click=${() => go("channels", { id: "new" })}>${icon("plus")} ${t("channel.new")}</button>` : nothing}</div>
      ${this.secret ? html`<div role="status"><p>${t("channel.secret_once", { name: this.secret.name })}<code class="secret">${this.secret.value}</code></p><button @click=${this.forgetSecret}>${t("channel.copied")}</button></div>` : nothing}
      ${this.fault()}
      ${this.channels.length ? html`<ul class="cards">${this.channels.map((channel) => this.card(channel))}</ul>` : this.emptyList(t("channel.none"))}
      ${this.hasRead ? this.pushSection() : nothing}`;
  }

  private readonly forgetSecret = (): void => {
    this.secret = null;
    this.requestUpdate();
  };

  private card(channel: Channel): TemplateResult {
    const result = this.tested[channel.id];
    return html`<li class="card ${channel.enabled ? "" : "done"}">
      <p><b>${channel.name}</b> <span class="tag">${word("channel", channel.kind)}</span> <span class="tag ${STATE_TAG[channel.state]}">${channel.enabled ? word("channel", channel.state) : t("rule.off")}</span></p>
      <p><small>${channel.kind === "web_push" ? nothing : html`<span class="mono">${channel.address}</span> · `}${t("channel.from_priority", { name: word("level", channel.minimum_priority) })}${channel.last_success_at ? ` · ${t("channel.last_success", { at: clock(channel.last_success_at, true) })}` : ""}</small></p>
      ${channel.last_error && channel.state !== "healthy" ? html`<p class="field-fault">${channel.last_error}</p>` : nothing}
      ${result ? html`<p role="status"><span class="tag ${result.delivered ? "good" : "danger"}">${t(result.delivered ? "channel.test_good" : "channel.test_bad")}</span> ${result.detail}</p>` : nothing}
      <p class="actions">
        ${
          may("edit")
            ? html`<button class="plain link" ?disabled=${this.isBusy} @click=${() => this.test(channel)}>${t("channel.test")}</button>
              <button class="plain link" @click=${() => go("channels", { id: String(channel.id) })}>${t("edit")}</button>
              ${channel.kind === "webhook" ? html`<button class="plain link" @click=${() => this.rotate(channel)}>${t("channel.rotate")}</button>` : nothing}
              ${channel.state === "disabled" || !channel.enabled ? html`<button class="plain link" @click=${() => this.again(() => call("PATCH alerts/channels/{id}/", { path: { id: channel.id }, body: { enabled: true } }))}>${t("channel.enable")}</button>` : nothing}`
            : nothing
        }
        <a href="#/alerts?tab=deliveries&channel=${channel.id}">${t("alerts.deliveries")}</a>
        ${may("delete") ? html`<button class="plain link" @click=${() => this.erase(channel)}>${t("delete")}</button>` : nothing}
      </p></li>`;
  }

  private pushSection(): TemplateResult {
    const why = obstacle();
    const start = (): void => this.again(async () => prefer({ browser: (await subscribe()).id }));
    return html`<section class="section"><h2>${t("push.title")}</h2>
      <p class="hint">${t("push.hint")}</p>
      ${why ? html`<p class="notice-line">${why}</p>` : nothing}
      ${!why && may("create") && !this.isSubscribed ? html`<button @click=${start} ?disabled=${this.isBusy}>${drawing(pageOf("alerts")!.icon)} ${t("push.start")}</button>` : nothing}
      ${this.isSubscribed ? html`<p><span class="tag good">${t("push.on")}</span></p>` : nothing}
      ${
        this.browsers.length
          ? html`<ul class="cards">${this.browsers.map(
              (
                browser,
              ) => html`<li class="card"><p><b>${browser.name}</b> ${this.isThis(browser) ? html`<span class="tag">${t("push.this")}</span>` : nothing} <small>${browser.service} · ${clock(browser.created_at, true)}</small></p>
              ${may("create") ? html`<p class="actions"><button class="plain link" @click=${() => this.drop(browser)}>${t("remove")}</button></p>` : nothing}</li>`,
            )}</ul>`
          : nothing
      }</section>`;
  }

  private isThis(browser: Schemas["BrowserRecord"]): boolean {
    return browser.id === preferences.value.browser;
  }

  private drop(browser: Schemas["BrowserRecord"]): void {
    this.again(async () => {
      await call("DELETE alerts/browsers/{id}/", { path: { id: browser.id } });
      if (this.isThis(browser)) await unsubscribe();
    });
  }

  private editor(draft: Draft): TemplateResult {
    const isNew = draft.id === null;
    const hints: Record<string, TextKey> = {
      webhook: "channel.hint_webhook",
      apprise: "channel.hint_apprise",
      mqtt: "channel.hint_mqtt",
      web_push: "channel.hint_web_push",
    };
    const examples: Record<string, string> = {
      webhook: "https://example.org/hook",
      apprise: "ntfys://ntfy.sh/topic",
      mqtt: "alerts",
    };
    const toggle = (name: string): void =>
      this.set({
        sources: draft.sources.includes(name) ? draft.sources.filter((one) => one !== name) : [...draft.sources, name],
      });
    return html`<form class="form" @submit=${this.save}>
      <h2>${isNew ? t("channel.new") : draft.name}</h2>
      ${isNew ? html`<div class="field"><span id="channel-kind">${t("kind")}</span><div class="segments" role="group" aria-labelledby="channel-kind">${KINDS.map((one) => html`<button type="button" aria-pressed=${one === draft.kind} @click=${() => this.set({ kind: one })}>${word("channel", one)}</button>`)}</div></div>` : nothing}
      <p class="hint">${t(hints[draft.kind])}</p>
      <label><span>${t("name")}</span><input name="name" required maxlength="120" .value=${draft.name} autocomplete="off" aria-invalid=${this.invalid("name")} @input=${(event: Event) => this.set({ name: (event.target as HTMLInputElement).value })} /></label>${this.faultBelow("name")}
      ${
        draft.kind === "web_push"
          ? nothing
          : html`<label><span>${t(isNew ? "channel.address" : "channel.new_address")}</span><input name="address" ?required=${isNew} .value=${draft.address} placeholder=${examples[draft.kind]} autocomplete="off" spellcheck="false" aria-invalid=${this.invalid("address")}
            @input=${(event: Event) => this.set({ address: (event.target as HTMLInputElement).value.trim() })} /></label>${this.faultBelow("address")}`
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
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${t("save")}</button><button type="button" @click=${() => go("channels")}>${t("cancel")}</button></div>
    </form>`;
  }
}

customElements.define("sw-channels", Channels);
