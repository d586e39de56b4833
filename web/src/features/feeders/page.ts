// The list of feeders and the form that registers one; the page of one feeder is an element of its own.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../../core/address";
import { number, t } from "../../i18n/i18n";
import { call } from "../../session/api";
import { session } from "../../session/session";
import { all, Task } from "../../session/task";
import { clock } from "../../ui/units";
import { credentialBox } from "./credentials";
import "./detail";
import { fields, FIELDS, settingsOf } from "./form";
import { clockName, REFRESH_MS, stateTag, type Credentials, type Feeder } from "./types";

class FeedersPage extends Task {
  protected override readonly fields = FIELDS;
  private feeders: Feeder[] = [];
  private fresh: Credentials | null = null;
  private isRegistering = false;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(route, session.user, session.config);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
    this.timer = setInterval(() => this.refresh(), REFRESH_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
  }

  private refresh(): void {
    // A fault of the form must stay where it is.
    if (!document.hidden && !route.value.item && !this.isRegistering) void this.attemptRead(() => this.read());
  }

  private async read(): Promise<void> {
    this.feeders = await all("GET feeders/", "feeders");
  }

  private readonly register = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.attempt(async () => {
      const uuid = String(form.get("uuid") ?? "").trim();
      const body = { ...settingsOf(form, null, session.user.value!.id), name: String(form.get("name")).trim() };
      this.fresh = await call("POST feeders/", { body: { ...body, ...(uuid ? { uuid } : {}) } });
      this.isRegistering = false;
      await this.read();
    });
  };

  private readonly begin = (): void => {
    this.isRegistering = true;
    this.fresh = null;
    this.requestUpdate();
  };

  private readonly end = (): void => {
    this.isRegistering = false;
    this.error = "";
    this.faults = {};
    this.requestUpdate();
  };

  private readonly putAway = (): void => {
    this.fresh = null;
    this.requestUpdate();
  };

  protected override render(): TemplateResult {
    const { item } = route.value;
    if (item) return html`<sw-feeder .feederId=${Number(item)}></sw-feeder>`;
    return html`<div class="sheet"><header><h1>${t("nav.feeders")}</h1><p role="status">${this.hasRead ? t("feeders.count", { n: this.feeders.length, connected: this.connected }) : nothing}</p></header>
      ${this.fresh ? credentialBox(this.fresh, this.putAway) : nothing}
      ${session.can("feeders.own") && !this.isRegistering ? html`<div class="bar"><button class="primary" @click=${this.begin}>${t("feeders.register")}</button></div>` : nothing}
      ${this.isRegistering ? this.form() : this.fault()}
      ${this.feeders.length ? this.table() : this.emptyList(t(session.can("feeders.own") ? "feeders.begin" : "feeders.none"))}
    </div>`;
  }

  private get connected(): number {
    return this.feeders.filter(({ state }) => state === "connected").length;
  }

  private form(): TemplateResult {
    const faults = {
      faultBelow: (field: string) => this.faultBelow(field),
      invalid: (field: string) => this.invalid(field),
    };
    return html`<section class="section"><h2>${t("feeders.register")}</h2><form class="form" @submit=${this.register}>
      ${fields(null, faults)}${this.fault()}
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${t("feeders.register_now")}</button><button type="button" @click=${this.end}>${t("cancel")}</button></div>
    </form></section>`;
  }

  private table(): TemplateResult {
    return html`<div class="scroll" tabindex="0"><table class="data narrow-cards"><thead><tr><th>${t("name")}</th><th>${t("feeders.state")}</th><th>${t("feeders.owner")}</th><th class="number">${t("feeders.rate")}</th><th class="number">${t("feeders.positions")}</th><th class="number">${t("feeders.aircraft")}</th><th>${t("feeders.clock")}</th><th>${t("feeders.seen")}</th></tr></thead>
      <tbody>${this.feeders.map(
        (one) => html`<tr>
          <td><a href="#/feeders/${one.id}">${one.name}</a>${one.notice ? html` <span class="tag danger">${t("feeders.copied_short")}</span>` : nothing}</td>
          <td data-title=${t("feeders.state")}>${stateTag(one)}</td>
          <td data-title=${t("feeders.owner")}>${one.owner?.username ?? t("feeders.managers")}</td>
          <td class="number" data-title=${t("feeders.rate")}>${number(one.messages_s)}/s</td>
          <td class="number" data-title=${t("feeders.positions")}>${number(one.positions_s)}/s</td>
          <td class="number" data-title=${t("feeders.aircraft")}>${number(one.aircraft)}</td>
          <td data-title=${t("feeders.clock")}>${clockName(one)}</td>
          <td data-title=${t("feeders.seen")}>${one.last_seen_at ? clock(one.last_seen_at, true) : "–"}</td>
        </tr>`,
      )}</tbody></table></div>`;
  }
}

customElements.define("sw-feeders", FeedersPage);
