// One rule: its conditions, what it says, when and where it says it, and a dry run before it is saved.
import { html, nothing, type TemplateResult } from "lit";
import { word, t, type TextKey } from "../../../i18n/i18n";
import { live } from "../../../live/live";
import { call } from "../../../session/api";
import { session } from "../../../session/session";
import { inform } from "../../../ui/announce";
import { copyLine } from "../../../ui/copy";
import { icon } from "../../../ui/icons";
import { Task } from "../../../session/task";
import { conditionEditor } from "./condition_editor";
import type { Node } from "./conditions";
import { DistanceRings } from "./distance_rings";
import { dropDraft, keepDraft, keptDraft } from "./drafts";
import { Trial } from "./trial";
import type { Stored } from "../channels/channel_form";
import "../channels/channel_form";
import {
  PRIORITIES,
  may,
  type Channel,
  type Fence,
  type NewRule,
  type QuietWindow,
  type Rule,
  type Watchlist,
} from "../types";

type Draft = Required<NewRule> & Pick<Rule, "conditions">;
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
type Day = (typeof DAYS)[number];
const COUNT_OPS = ["ge", "gt", "eq", "ne", "le", "lt"] as const;
const MEMBERS = [
  "name",
  "description",
  "enabled",
  "priority",
  "conditions",
  "for_s",
  "cooldown_s",
  "count",
  "starts_at",
  "expires_at",
  "quiet_hours",
  "channels",
  "visibility",
  "message",
  "mqtt",
] as const;
/** Fields that stand below "More settings". */
const MORE = ["description", "for_s", "cooldown_s", "count", "starts_at", "expires_at", "quiet_hours"];
const FRESH: Draft = {
  name: "",
  description: "",
  enabled: true,
  priority: "info",
  conditions: {
    all: [
      { field: "distance_nm", op: "lt", value: 5 },
      { field: "alt_baro", op: "lt", value: 3000 },
    ],
  },
  for_s: null,
  cooldown_s: 300,
  count: null,
  starts_at: null,
  expires_at: null,
  quiet_hours: [],
  channels: [],
  visibility: "private",
  message: "",
  mqtt: false,
};

class RuleEditor extends Task {
  protected override readonly fields = [
    "conditions",
    "name",
    "message",
    "description",
    "for_s",
    "cooldown_s",
    "count",
    "starts_at",
    "expires_at",
    "quiet_hours",
    "channels",
  ];
  rule: Rule | null = null;
  /** What a new rule begins with, if it is made from a ready-made one. */
  start: Partial<Draft> | null = null;
  fences: Fence[] = [];
  lists: Watchlist[] = [];
  channels: Channel[] = [];
  /** The rule as it is stored, or what a new one begins with. */
  private beginning: Draft = FRESH;
  private draft: Draft = structuredClone(FRESH);
  /** Whether it goes on with what was written before. */
  private isContinued = false;
  private isMakingChannel = false;
  /** The secret of a webhook that was made here: it is shown once. */
  private secret: { name: string; value: string } | null = null;
  private readonly rings = new DistanceRings();
  private readonly trial = new Trial(
    () => this.forTrial(),
    () => this.requestUpdate(),
  );

  constructor() {
    super();
    // Rings are around the station, which may come later than the form.
    this.watch(live.station);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { rule } = this;
    this.beginning = rule
      ? (Object.fromEntries(MEMBERS.map((name) => [name, rule[name]])) as Pick<Rule, (typeof MEMBERS)[number]>)
      : { ...FRESH, ...this.start };
    const kept = keptDraft<Draft>(this.beginning);
    this.isContinued = kept !== null;
    this.draft = kept ?? structuredClone(this.beginning);
  }

  private readonly startOver = (): void => {
    dropDraft();
    this.draft = structuredClone(this.beginning);
    this.isContinued = false;
    this.requestUpdate();
  };

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.trial.end();
    this.rings.end();
  }

  protected override updated(): void {
    this.rings.show(this.draft.conditions);
  }

  protected override firstUpdated(): void {
    // What a ready-made rule leaves open is typed first.
    const open = this.start
      ? [...this.querySelectorAll<HTMLInputElement>(".test input")].find(({ value }) => value === "")
      : undefined;
    (open ?? this.querySelector<HTMLElement>("input, select, button"))?.focus();
  }

  private set(change: Partial<Draft>): void {
    Object.assign(this.draft, change);
    keepDraft(this.beginning, this.draft);
    this.requestUpdate();
  }

  /** What is being typed is kept and shown on the map; the form is drawn again once it is complete. */
  private readonly typing = (conditions: Node): void => {
    this.draft.conditions = conditions;
    keepDraft(this.beginning, this.draft);
    this.rings.show(conditions);
  };

  private forTrial(): NewRule {
    return { ...this.draft, name: this.draft.name || t("rule.new"), channels: [], mqtt: false };
  }

  private body(): NewRule {
    const { mqtt, ...rest } = this.draft;
    return may("manage_all") ? { ...rest, mqtt } : rest;
  }

  private readonly save = (event: SubmitEvent): void => {
    event.preventDefault();
    void this.attempt(async () => {
      const body = this.body();
      if (this.rule) await call("PATCH alerts/rules/{id}/", { path: { id: this.rule.id }, body });
      else await call("POST alerts/rules/", { body });
      inform(t("saved"));
      this.leave();
    });
  };

  private leave(): void {
    dropDraft();
    this.dispatchEvent(new CustomEvent("done"));
  }

  private get mayChange(): boolean {
    return this.rule ? may("edit") && (this.rule.is_own || may("manage_all")) : may("create");
  }

  protected override render(): TemplateResult {
    const { draft } = this;
    const faults = { ...this.trial.faults, ...this.faults };
    return html`<div class="form rule-form">
      <h2>${this.rule ? this.rule.name : t("rule.new")}</h2>
      ${this.isContinued ? html`<p class="notice-line">${t("rule.continued")} <button class="plain link" @click=${this.startOver}>${t("rule.start_over")}</button></p>` : nothing}
      <form class="form" id="rule" @submit=${this.save} novalidate><fieldset class="form" ?disabled=${!this.mayChange}>
        ${this.text("name", "name", 120)}
        <div class="field"><span id="rule-priority">${t("rule.priority")}</span><div class="segments" role="group" aria-labelledby="rule-priority">${PRIORITIES.map((one) => html`<button type="button" aria-pressed=${one === draft.priority} @click=${() => this.set({ priority: one })}>${word("level", one)}</button>`)}</div></div>
        <div class="field"><span>${t("rule.conditions")}</span>
          ${conditionEditor(draft.conditions, { fences: this.fences, watchlists: this.lists, faults, changed: (conditions: Node) => this.set({ conditions }), typing: this.typing })}</div>
        ${this.text("message", "rule.message", 500, "{callsign} {distance_nm:.1f} nm")}
      </fieldset></form>
      ${this.channelChoice()}
      <fieldset class="form" ?disabled=${!this.mayChange}>
        <details ?open=${MORE.some((name) => this.invalid(name) !== nothing)}><summary>${t("rule.more")}</summary><div class="form">${this.more()}</div></details>
      </fieldset>
      ${this.trial.render()}
      ${this.fault()}
      <div class="actions">
        ${this.mayChange ? html`<button class="primary" form="rule" ?disabled=${this.isBusy}>${t("save")}</button>` : nothing}
        <button type="button" @click=${() => this.leave()}>${t(this.mayChange ? "cancel" : "close")}</button>
      </div>
    </div>`;
  }

  private text(
    name: "name" | "message" | "description",
    title: TextKey,
    longest: number,
    placeholder = "",
  ): TemplateResult {
    return html`<label><span>${t(title)}</span><input name=${name} .value=${this.draft[name]} maxlength=${longest} placeholder=${placeholder} autocomplete="off" aria-invalid=${this.invalid(name)}
      @input=${(event: Event) => this.set({ [name]: (event.target as HTMLInputElement).value })} /></label>${this.faultBelow(name)}`;
  }

  private number(
    value: number | null,
    title: TextKey,
    take: (value: number | null) => void,
    unit: string,
    placeholder = "",
  ): TemplateResult {
    return html`<label><span>${t(title)}</span><span class="with-unit"><input type="number" min="0" step="any" .value=${value === null ? "" : String(value)} placeholder=${placeholder}
      @input=${(event: Event) => take((event.target as HTMLInputElement).value === "" ? null : Number((event.target as HTMLInputElement).value))} /><small>${unit}</small></span></label>`;
  }

  private channelChoice(): TemplateResult {
    const { channels: chosen } = this.draft;
    const owner = this.rule?.is_own === false ? null : session.user.value?.id;
    const own = this.channels.filter((channel) => owner === null || channel.user === owner);
    const toggle = (id: number): void =>
      this.set({ channels: chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id] });
    const isOwn = owner !== null && this.mayChange;
    return html`<fieldset ?disabled=${!this.mayChange}><legend class="field-title">${t("rule.channels")}</legend>
        ${
          own.length
            ? html`<div class="checks">${own.map((channel) => html`<label class="check"><input type="checkbox" .checked=${chosen.includes(channel.id)} @change=${() => toggle(channel.id)} /> ${channel.name} <small>${word("channel", channel.kind)}</small></label>`)}</div>`
            : html`<p class="hint">${t("rule.no_channels")}</p>`
        }${this.faultBelow("channels")}
        ${isOwn && may("create") && !this.isMakingChannel ? html`<button type="button" @click=${() => this.makeChannel(true)}>${icon("plus")} ${t("channel.new")}</button>` : nothing}
        ${this.secret ? html`<div role="status"><p>${t("channel.secret_once", { name: this.secret.name })}</p>${copyLine(this.secret.value, { name: t("channel.secret") })}</div>` : nothing}</fieldset>
      ${this.isMakingChannel ? html`<sw-channel-form .isInRule=${true} @stored=${this.takeChannel} @done=${() => this.makeChannel(false)}></sw-channel-form>` : nothing}`;
  }

  private makeChannel(isMaking: boolean): void {
    this.isMakingChannel = isMaking;
    this.secret = null;
    this.requestUpdate();
  }

  /** A channel that was made here is one of those that this rule sends to. */
  private readonly takeChannel = ({ detail: { channel, secret } }: CustomEvent<Stored>): void => {
    this.channels = [...this.channels, channel];
    this.makeChannel(false);
    this.secret = secret ? { name: channel.name, value: secret } : null;
    this.set({ channels: [...this.draft.channels, channel.id] });
  };

  private more(): TemplateResult {
    const { draft } = this;
    const count = draft.count;
    const moment = (name: "starts_at" | "expires_at", title: TextKey): TemplateResult =>
      html`<label><span>${t(title)}</span><input type="datetime-local" .value=${local(draft[name])} @change=${(event: Event) => this.set({ [name]: instant((event.target as HTMLInputElement).value) })} /></label>`;
    return html`${this.text("description", "rule.description", 2000)}
      <div class="pair">${this.number(draft.for_s, "rule.for", (value) => this.set({ for_s: value }), "s", "2")}${this.number(draft.cooldown_s, "rule.cooldown", (value) => this.set({ cooldown_s: value ?? 0 }), "s")}</div>${this.faultBelow("for_s")}${this.faultBelow("cooldown_s")}
      <label class="check"><input type="checkbox" .checked=${count !== null} @change=${() => this.set({ count: count ? null : { op: "ge", value: 5 } })} /> ${t("rule.count")}</label>
      ${
        count
          ? html`<div class="pair"><label><span>${t("rule.op")}</span><select @change=${(event: Event) => this.set({ count: { ...count, op: (event.target as HTMLSelectElement).value as typeof count.op } })}>${COUNT_OPS.map((one) => html`<option value=${one} ?selected=${one === count.op}>${word("op", one)}</option>`)}</select></label>
            ${this.number(count.value, "rule.aircraft", (value) => this.set({ count: { ...count, value: value ?? 0 } }), "")}</div>`
          : nothing
      }
      <div class="pair">${moment("starts_at", "rule.starts")}${moment("expires_at", "rule.expires")}</div>${this.faultBelow("count")}${this.faultBelow("starts_at")}${this.faultBelow("expires_at")}
      ${this.quiet()}
      <label class="check"><input type="checkbox" .checked=${draft.enabled} @change=${() => this.set({ enabled: !draft.enabled })} /> ${t("rule.enabled")}</label>
      <label class="check"><input type="checkbox" .checked=${draft.visibility === "shared"} @change=${() => this.set({ visibility: draft.visibility === "shared" ? "private" : "shared" })} /> ${t("rule.share")}</label>
      ${may("manage_all") ? html`<label class="check"><input type="checkbox" .checked=${draft.mqtt} @change=${() => this.set({ mqtt: !draft.mqtt })} /> ${t("rule.mqtt")}</label>` : nothing}`;
  }

  private quiet(): TemplateResult {
    const { quiet_hours: windows } = this.draft;
    const put = (at: number, change: Partial<QuietWindow>): void =>
      this.set({ quiet_hours: windows.map((one, index) => (index === at ? { ...one, ...change } : one)) });
    const add = (): void =>
      this.set({
        quiet_hours: [
          ...windows,
          { days: [], from: "22:00", to: "07:00", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC" },
        ],
      });
    const toggle = (at: number, day: Day): void => {
      // No day stands for every day.
      const days: readonly Day[] = windows[at].days?.length ? windows[at].days : DAYS;
      const chosen = DAYS.filter((one) => (one === day) !== days.includes(one));
      if (chosen.length) put(at, { days: chosen.length === DAYS.length ? [] : chosen });
    };
    return html`<fieldset><legend class="field-title">${t("rule.quiet")}</legend>
      <p class="hint">${t("rule.quiet_hint")}</p>
      ${windows.map(
        (window, at) => html`<div class="quiet">
          <div class="pair">
            <label><span>${t("filter.from")}</span><input type="time" .value=${window.from} @change=${(event: Event) => put(at, { from: (event.target as HTMLInputElement).value })} /></label>
            <label><span>${t("filter.to")}</span><input type="time" .value=${window.to} @change=${(event: Event) => put(at, { to: (event.target as HTMLInputElement).value })} /></label>
            <label><span>${t("rule.timezone")}</span><input .value=${window.timezone ?? "UTC"} list="zones" @change=${(event: Event) => put(at, { timezone: (event.target as HTMLInputElement).value })} /></label>
            <button type="button" class="tool small" aria-label=${t("remove")} title=${t("remove")} @click=${() => this.set({ quiet_hours: windows.filter((_, index) => index !== at) })}>${icon("trash")}</button>
          </div>
          <div class="days" role="group" aria-label=${t("rule.days")}>${DAYS.map((day) => html`<button type="button" aria-pressed=${!window.days?.length || window.days.includes(day)} @click=${() => toggle(at, day)}>${word("day", day)}</button>`)}</div>
        </div>`,
      )}
      <datalist id="zones">${zones().map((zone) => html`<option value=${zone}></option>`)}</datalist>
      <button type="button" @click=${add}>${icon("plus")} ${t("rule.quiet_add")}</button>${this.faultBelow("quiet_hours")}</fieldset>`;
  }
}

function zones(): string[] {
  return "supportedValuesOf" in Intl ? Intl.supportedValuesOf("timeZone") : [];
}

function local(at: string | null): string {
  if (!at) return "";
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function instant(text: string): string | null {
  const at = new Date(text);
  return text && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
}

customElements.define("sw-rule-editor", RuleEditor);
