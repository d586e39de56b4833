// Reception: every receiver and feeder with its state, and the charts of the one that is chosen.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../../core/address";
import { number, saidIn, t, word } from "../../i18n/i18n";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { all, Task } from "../../session/task";
import { sourceOf } from "../../shell/feature";
import { pageHead } from "../../shell/navigation";
import { clock } from "../../ui/units";
import "./charts";
import { feederPlace } from "./covered";

type Receiver = Schemas["ReceiverState"];
type Feeder = Schemas["FeederEntry"];

const REFRESH_MS = 10_000;
const FEEDER = /^feeder-(\d+)$/;
/** The kind of a receiver that is a port: what its feeders hear is measured for each of them. */
const LISTENER = "listen";

class ReceptionPage extends Task {
  private receivers: Receiver[] = [];
  private feeders: Feeder[] = [];
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.watch(route, session.user, session.config);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(() => this.read());
    this.timer = setInterval(() => document.hidden || void this.attemptRead(() => this.read()), REFRESH_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
    feederPlace.set(null);
  }

  private async read(): Promise<void> {
    const [receivers, feeders] = await Promise.all([
      all("GET system/receivers", "receivers"),
      session.can("feeders.view") ? all("GET feeders/", "feeders") : [],
    ]);
    this.receivers = receivers;
    this.feeders = feeders;
  }

  /** The name in the picture of what is chosen: that of the address, else the first that is measured. */
  private get chosen(): string {
    const [measured] = [
      ...this.receivers.filter(({ kind }) => kind !== LISTENER).map(({ name }) => name),
      ...this.feeders.map(({ id }) => `feeder-${id}`),
      ...this.receivers.map(({ name }) => name),
    ];
    return decoded(route.value.item ?? "") || (measured ?? "");
  }

  protected override render(): TemplateResult {
    return html`<div class="sheet">${pageHead("nav.reception")}${this.fault()}
      ${this.receivers.length || this.feeders.length ? this.list() : this.emptyList(t("quality.no_receivers"))}
      ${this.charts()}</div>`;
  }

  private list(): TemplateResult {
    return html`<ul class="reception-sources">
      ${this.receivers.map((one) => this.entry(one.name, one.name, word("receiver", one.state), one.state === "connected" || one.state === "listening", one.message_rate ?? 0))}
      ${this.feeders.map((one) => this.entry(`feeder-${one.id}`, one.name, word("feeder_state", one.state), one.state === "connected", one.messages_s))}
    </ul>`;
  }

  private entry(item: string, name: string, state: string, isWell: boolean, rate: number): TemplateResult {
    return html`<li><a href="#/reception/${encodeURIComponent(item)}" aria-current=${item === this.chosen ? "true" : nothing}>
      <b>${name}</b> <span class="tag ${isWell ? "good" : "warning"}">${state}</span> <small>${number(rate, 1)}/s</small></a></li>`;
  }

  private charts(): TemplateResult | typeof nothing {
    const { chosen } = this;
    const number_ = Number(FEEDER.exec(chosen)?.[1]);
    const feeder = this.feeders.find(({ id }) => id === number_);
    if (feeder) {
      const { lat, lon } = feeder;
      feederPlace.set(lat !== null && lon !== null ? { lat, lon } : null);
      return html`<h2 class="reception-title">${feeder.name}</h2>
        <p>${t("quality.seen", { at: feeder.last_seen_at ? clock(feeder.last_seen_at, true) : "–" })} <a href="#/feeders/${feeder.id}">${t("quality.record")}</a></p>
        <sw-reception-charts .source=${sourceOf(feeder)}></sw-reception-charts>`;
    }
    const receiver = this.receivers.find(({ name }) => name === chosen);
    if (!receiver) return this.hasRead && chosen ? html`<p class="empty">${t("quality.unknown")}</p>` : nothing;
    const title = html`<h2 class="reception-title">${receiver.name}</h2>${connection(receiver)}`;
    if (receiver.kind === LISTENER) return html`${title}${listener()}`;
    return html`${title}
      <sw-reception-charts .source=${{ receiver: receiver.name }}></sw-reception-charts>`;
  }
}

/** A part of the address, which anybody may have typed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A port has no charts; where its feeders are listed. */
function listener(): TemplateResult {
  return html`<p class="reception-listener">${t("quality.listener")}
    ${session.can("feeders.view") ? html`<a href="#/feeders">${t("quality.listener_feeders")}</a>` : nothing}</p>`;
}

/** How its connection is and was. */
function connection(receiver: Receiver): TemplateResult {
  const facts: [string, string][] = [
    [t("quality.state"), word("receiver", receiver.state)],
    [t("quality.since"), receiver.since ? clock(receiver.since, true) : "–"],
    [t("quality.last_message"), receiver.last_message_at ? clock(receiver.last_message_at, true) : "–"],
    [t("quality.reconnects"), number(receiver.reconnects)],
  ];
  if (receiver.last_error) facts.push([t("quality.last_error"), saidIn(receiver, "last_error")]);
  return html`<dl class="reception-facts">${facts.map(([title, value]) => html`<dt>${title}</dt><dd>${value}</dd>`)}</dl>`;
}

customElements.define("sw-reception", ReceptionPage);
