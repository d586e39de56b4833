// The list of feeders and the form that registers one; the page of one feeder is an element of its own.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../../core/address";
import { number, t } from "../../i18n/i18n";
import { call } from "../../session/api";
import { session } from "../../session/session";
import { all } from "../../session/task";
import { pageHead } from "../../shell/navigation";
import { clock } from "../../ui/units";
import "./detail";
import { silence } from "./credentials";
import { settingsOf } from "./form";
import { FeederTask } from "./task";
import { clockName, stateTag, type Feeder } from "./types";

class FeedersPage extends FeederTask {
  private feeders: Feeder[] = [];
  private isListening = false;

  constructor() {
    super();
    this.watch(route);
  }

  protected override get isShown(): boolean {
    return super.isShown && !route.value.item;
  }

  protected override async read(): Promise<void> {
    this.feeders = await all("GET feeders/", "feeders");
    // A port that is open stays so until the next start.
    if (!this.isListening) this.isListening = (await call("GET feeders/", { query: { limit: 1 } })).listening;
  }

  private readonly register = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.attempt(async () => {
      const uuid = String(form.get("uuid") ?? "").trim();
      const body = { ...settingsOf(form, null, session.user.value!.id), name: String(form.get("name")).trim() };
      this.fresh = await call("POST feeders/", { body: { ...body, ...(uuid ? { uuid } : {}) } });
      this.isEdited = false;
      await this.read();
    });
  };

  private readonly begin = (): void => {
    this.fresh = null;
    this.edit(true);
  };

  protected override render(): TemplateResult {
    const { item } = route.value;
    if (item) return html`<sw-feeder .feederId=${Number(item)}></sw-feeder>`;
    return html`<div class="sheet">${pageHead("nav.feeders", html`<p role="status">${this.hasRead ? t("feeders.count", { n: this.feeders.length, connected: this.connected }) : nothing}</p>`)}
      ${this.credentials()}
      ${this.hasRead && !this.isListening && session.can("feeders.own") ? silence(session.can("system.manage")) : nothing}
      ${session.can("feeders.own") && !this.isEdited ? html`<div class="bar"><button class="primary" @click=${this.begin}>${t("feeders.register")}</button></div>` : nothing}
      ${this.isEdited ? html`<section class="section"><h2>${t("feeders.register")}</h2>${this.form(null, this.register, "feeders.register_now")}</section>` : this.fault()}
      ${this.feeders.length ? this.table() : this.emptyList(t(session.can("feeders.own") ? "feeders.begin" : "feeders.none"))}
    </div>`;
  }

  private get connected(): number {
    return this.feeders.filter(({ state }) => state === "connected").length;
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
