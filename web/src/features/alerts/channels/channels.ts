// Channels: where alerts are sent; made, tried out, given a new secret, and this browser's Web Push.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../../../core/address";
import { prefer, preferences } from "../../../core/preferences";
import { clock } from "../../../ui/units";
import { t, word } from "../../../i18n/i18n";
import { call } from "../../../session/api";
import type { Schemas } from "../../../session/operations";
import { inform } from "../../../ui/announce";
import { pageOf } from "../../../shell/feature";
import { drawing, icon } from "../../../ui/icons";
import { Task, all } from "../../../session/task";
import { copyLine } from "../../../ui/copy";
import { go } from "../address";
import { obstacle, subscribe, subscription, unsubscribe } from "./push";
import { may, type Channel } from "../types";
import type { Stored } from "./channel_form";
import "./channel_form";
import { networkOffer } from "./networks";

const STATE_TAG: Record<string, string> = { healthy: "good", failing: "warning", disabled: "danger" };
class Channels extends Task {
  private channels: Channel[] = [];
  private browsers: Schemas["BrowserRecord"][] = [];
  /** The one that is edited; null: a new one; undefined: none. */
  private edited: Channel | null | undefined;
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
    this.edited = id === "new" ? null : this.channels.find((channel) => String(channel.id) === id);
    if (this.edited !== undefined) this.secret = null;
    this.requestUpdate();
  }

  private again(work: () => Promise<unknown>): void {
    void this.attempt(async () => {
      await work();
      await this.read();
    });
  }

  private readonly store = ({ detail }: CustomEvent<Stored>): void => {
    void this.attempt(async () => {
      await this.read();
      go("channels");
      this.secret = detail.secret ? { name: detail.channel.name, value: detail.secret } : null;
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
    if (this.edited === undefined) return this.overview();
    return html`<sw-channel-form .channel=${this.edited} @stored=${this.store} @done=${() => go("channels")}></sw-channel-form>`;
  }

  private overview(): TemplateResult {
    return html`<div class="bar">${may("create") ? html`<button class="primary" @click=${() => go("channels", { id: "new" })}>${icon("plus")} ${t("channel.new")}</button>` : nothing}</div>
      ${this.secret ? html`<div role="status"><p>${t("channel.secret_once", { name: this.secret.name })}</p>${copyLine(this.secret.value, { name: t("channel.secret") })}<button @click=${this.forgetSecret}>${t("channel.copied")}</button></div>` : nothing}
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
      ${result ? html`<p role="status"><span class="tag ${result.delivered ? "good" : "danger"}">${t(result.delivered ? "channel.test_good" : "channel.test_bad")}</span> ${result.detail}</p>${result.delivered ? nothing : networkOffer(channel.address)}` : nothing}
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
}

customElements.define("sw-channels", Channels);
