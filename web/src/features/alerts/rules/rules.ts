// Rules: one's own and those that others share; switched, edited, followed, carried elsewhere as a file.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../../../core/address";
import { saidIn, t, word } from "../../../i18n/i18n";
import { call } from "../../../session/api";
import { session } from "../../../session/session";
import { inform } from "../../../ui/announce";
import { icon } from "../../../ui/icons";
import { download } from "../../../session/download";
import { Task, all } from "../../../session/task";
import { go } from "../address";
import { sentence } from "./condition_editor";
import { LEVEL_TAG, may, type Channel, type Fence, type Rule, type Watchlist } from "../types";
import { dropDraft, unfinished } from "./drafts";
import { startOf } from "./gallery";
import "./rule_editor";

class Rules extends Task {
  private rules: Rule[] = [];
  private fences: Fence[] = [];
  private lists: Watchlist[] = [];
  private channels: Channel[] = [];

  constructor() {
    super();
    this.watch(route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
  }

  private async read(): Promise<void> {
    const [rules, ...others] = await Promise.all([
      all("GET alerts/rules/", "rules"),
      all("GET alerts/geofences/", "geofences"),
      all("GET alerts/watchlists/", "watchlists"),
      all("GET alerts/channels/", "channels"),
    ]);
    this.rules = rules as Rule[];
    [this.fences, this.lists, this.channels] = others;
  }

  private again(work: () => Promise<unknown>): void {
    void this.attempt(async () => {
      await work();
      await this.read();
    });
  }

  private erase(rule: Rule): void {
    if (!confirm(t("rule.delete_sure", { name: rule.name }))) return;
    this.again(() => call("DELETE alerts/rules/{id}/", { path: { id: rule.id } }));
  }

  private readonly take = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    this.again(async () => {
      const raw = await file.text();
      inform(t("rule.imported", await call("POST alerts/rules/import/", { raw, type: "application/json" })));
    });
  };

  protected override render(): TemplateResult {
    const { id } = route.value.query;
    if (id && !this.hasRead) return html`${this.fault()}${this.emptyList("")}`;
    if (id === "new") return this.editor(null);
    const chosen = this.rules.find((rule) => String(rule.id) === id);
    return chosen ? this.editor(chosen) : this.overview();
  }

  private editor(rule: Rule | null): TemplateResult {
    return html`<sw-rule-editor .rule=${rule} .start=${rule ? null : startOf(route.value.query)} .fences=${this.fences} .lists=${this.lists} .channels=${this.channels} @done=${() => this.leave()}></sw-rule-editor>`;
  }

  private leave(): void {
    go("rules");
    void this.attemptRead(() => this.read());
  }

  private overview(): TemplateResult {
    const mine = this.rules.filter((rule) => rule.is_own || may("manage_all"));
    const shared = this.rules.filter((rule) => !mine.includes(rule));
    return html`<div class="bar">
        ${may("create") ? html`<button class="primary" @click=${() => go("rules", { id: "new" })}>${icon("plus")} ${t("rule.new")}</button>` : nothing}
        ${mine.length ? html`<button @click=${() => void download("GET alerts/rules/export/", {}, "skywatch-rules.json")}>${t("rule.export")}</button>` : nothing}
        ${may("create") ? html`<label class="file"><span>${t("rule.import")}</span><input type="file" accept="application/json,.json" @change=${this.take} /></label>` : nothing}
      </div>
      ${this.fault()}
      ${this.unfinished()}
      ${mine.length ? html`<ul class="cards">${mine.map((rule) => this.card(rule))}</ul>` : this.emptyList(t("rule.none"))}
      ${this.hasRead && may("create") ? html`<sw-rule-gallery></sw-rule-gallery>` : nothing}
      ${shared.length ? html`<section class="section"><h2>${t("rule.shared")}</h2><ul class="cards">${shared.map((rule) => this.sharedCard(rule))}</ul></section>` : nothing}`;
  }

  private unfinished(): TemplateResult | typeof nothing {
    const kept = unfinished();
    if (!kept) return nothing;
    const drop = (): void => {
      dropDraft();
      this.requestUpdate();
    };
    return html`<p class="notice-line">${t("rule.unfinished")} <a href=${kept.address}>${t("rule.continue")}</a> <button class="plain link" @click=${drop}>${t("rule.discard")}</button></p>`;
  }

  private head(rule: Rule): TemplateResult {
    return html`<p><span class="tag ${LEVEL_TAG[rule.priority]}">${word("level", rule.priority)}</span> <b>${rule.name}</b>
        ${rule.visibility === "shared" && rule.is_own ? html`<span class="tag">${t("rule.is_shared")}</span>` : nothing}
        ${rule.is_own ? nothing : html`<small>${rule.username}</small>`}</p>
      ${rule.description ? html`<p><small>${rule.description}</small></p>` : nothing}
      <p class="rule-sentence">${sentence(rule.conditions, this.fences, this.lists)}${rule.count ? ` · ${t("rule.count_line", { op: word("op", rule.count.op), n: rule.count.value })}` : ""}</p>
      ${rule.fault ? html`<p class="field-fault">${t("rule.fault")} ${saidIn(rule, "fault")}</p>` : nothing}`;
  }

  private card(rule: Rule): TemplateResult {
    const flip = (): void =>
      this.again(() => call("PATCH alerts/rules/{id}/", { path: { id: rule.id }, body: { enabled: !rule.enabled } }));
    return html`<li class="card ${rule.enabled ? "" : "done"}">
      ${this.head(rule)}
      <p class="actions">
        ${
          may("edit")
            ? html`<label class="check"><input type="checkbox" role="switch" .checked=${rule.enabled} @change=${flip} aria-label="${t("rule.enabled")}: ${rule.name}" /> ${t(rule.enabled ? "rule.on" : "rule.off")}</label>`
            : html`<small>${t(rule.enabled ? "rule.on" : "rule.off")}</small>`
        }
        <button class="plain link" @click=${() => go("rules", { id: String(rule.id) })}>${t(may("edit") ? "edit" : "details")}</button>
        <a href="#/alerts?rule=${rule.id}">${t("alerts.history")}</a>
        ${may("delete") ? html`<button class="plain link" @click=${() => this.erase(rule)}>${t("delete")}</button>` : nothing}
      </p></li>`;
  }

  private sharedCard(rule: Rule): TemplateResult {
    const follow = (channels: number[]): void =>
      this.again(() => call("POST alerts/rules/{id}/subscribe/", { path: { id: rule.id }, body: { channels } }));
    const end = (): void => this.again(() => call("DELETE alerts/rules/{id}/subscribe/", { path: { id: rule.id } }));
    const toggle = (id: number): void =>
      follow(rule.channels.includes(id) ? rule.channels.filter((one) => one !== id) : [...rule.channels, id]);
    const own = this.channels.filter((channel) => channel.user === session.user.value?.id);
    return html`<li class="card">
      ${this.head(rule)}
      ${
        may("create")
          ? html`<p class="actions">${rule.is_subscribed ? html`<button @click=${end}>${t("rule.unfollow")}</button>` : html`<button @click=${() => follow([])}>${t("rule.follow")}</button>`}</p>
            ${
              rule.is_subscribed && own.length
                ? html`<fieldset class="checks"><legend>${t("rule.channels")}</legend>${own.map((channel) => html`<label class="check"><input type="checkbox" .checked=${rule.channels.includes(channel.id)} @change=${() => toggle(channel.id)} /> ${channel.name}</label>`)}</fieldset>`
                : nothing
            }`
          : nothing
      }</li>`;
  }
}

customElements.define("sw-alert-rules", Rules);
