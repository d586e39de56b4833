// Deliveries: what was sent, what waits and what was given up, which can be sent again.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../../core/address";
import { clock } from "../../../ui/units";
import { t, word } from "../../../i18n/i18n";
import { call, queryOf } from "../../../session/api";
import type { Schemas } from "../../../session/operations";
import { inform } from "../../../ui/announce";
import { icon } from "../../../ui/icons";
import { Task, all } from "../../../session/task";
import { may, type Channel } from "../types";

type Delivery = Schemas["DeliveryRecord"];

const STATES = ["pending", "sending", "held", "delivered", "dead"];
const STATE_TAG: Record<string, string> = { delivered: "good", dead: "danger", held: "warning" };
const PAGE = 50;
const DAY_MS = 86_400_000;

class Deliveries extends Task {
  private deliveries: Delivery[] = [];
  private channels: Channel[] = [];
  private next: string | null = null;

  constructor() {
    super();
    this.watch(route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(async () => {
      this.channels = await all("GET alerts/channels/", "channels");
      await this.read();
    });
  }

  private async read(): Promise<void> {
    const { channel, state } = route.value.query;
    const answer = await this.asList(call("GET alerts/deliveries/", { query: { channel, state, limit: PAGE } }));
    this.deliveries = answer.deliveries;
    this.next = answer.next;
  }

  private async more(): Promise<void> {
    const answer = await this.asNextPage(call("GET alerts/deliveries/", { query: queryOf(this.next!) }));
    this.deliveries = [...this.deliveries, ...answer.deliveries];
    this.next = answer.next;
  }

  private filter(change: Record<string, string>): void {
    note(change);
    void this.attemptRead(() => this.read());
  }

  private retry(delivery: Delivery): void {
    void this.attempt(async () => {
      await call("POST alerts/deliveries/{id}/retry/", { path: { id: delivery.id } });
      await this.read();
    });
  }

  private readonly retryAll = (): void => {
    void this.attempt(async () => {
      const to = new Date();
      const { channel } = route.value.query;
      const body = {
        from: new Date(to.getTime() - 7 * DAY_MS).toISOString(),
        to: to.toISOString(),
        ...(channel ? { channel: Number(channel) } : {}),
      };
      const { retried } = await call("POST alerts/deliveries/retry/", { body });
      inform(t("delivery.retried", { n: retried }));
      await this.read();
    });
  };

  protected override render(): TemplateResult {
    const { channel, state } = route.value.query;
    return html`<div class="toolbar">
        <label><span>${t("delivery.channel")}</span><select @change=${(event: Event) => this.filter({ channel: (event.target as HTMLSelectElement).value })}><option value="">${t("filter.all")}</option>${this.channels.map((one) => html`<option value=${one.id} ?selected=${String(one.id) === channel}>${one.name}</option>`)}</select></label>
        <label><span>${t("alerts.state")}</span><select @change=${(event: Event) => this.filter({ state: (event.target as HTMLSelectElement).value })}><option value="">${t("filter.all")}</option>${STATES.map((one) => html`<option value=${one} ?selected=${one === state}>${word("delivery", one)}</option>`)}</select></label>
        <button @click=${() => void this.attemptRead(() => this.read())}>${icon("clock")} ${t("delivery.reload")}</button>
      </div>
      ${may("edit") && this.deliveries.some((one) => one.state === "dead") ? html`<p class="bar"><button class="plain link" @click=${this.retryAll}>${t("delivery.retry_all")}</button></p>` : nothing}
      ${this.fault()}
      ${this.deliveries.length ? html`<ul class="cards">${this.deliveries.map((one) => this.card(one))}</ul>` : this.emptyList(t("delivery.none"))}
      ${this.next ? html`<button @click=${() => void this.attempt(() => this.more())}>${t("more")}</button>` : nothing}`;
  }

  private card(one: Delivery): TemplateResult {
    const channel = this.channels.find(({ id }) => id === one.channel)?.name ?? String(one.channel);
    return html`<li class="card">
      <p><span class="tag ${STATE_TAG[one.state] ?? ""}">${word("delivery", one.state)}</span> <b>${channel}</b> <span>${word("sent", one.event)}</span></p>
      <p><small>${clock(one.created_at, true)} · ${t("delivery.attempts", { n: one.attempts })}${one.delivered_at ? ` · ${word("delivery", "delivered")} ${clock(one.delivered_at)}` : one.next_at ? ` · ${t("delivery.next", { at: clock(one.next_at) })}` : ""}</small></p>
      ${one.last_error ? html`<p class="field-fault">${one.last_error}</p>` : nothing}
      ${may("edit") && one.state !== "delivered" && one.state !== "sending" ? html`<p class="actions"><button class="plain link" @click=${() => this.retry(one)}>${t("delivery.retry")}</button></p>` : nothing}
    </li>`;
  }
}

customElements.define("sw-deliveries", Deliveries);
