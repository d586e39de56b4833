// Audio: recordings of radio as they come, searched, played one after the other, with waveform and transcript.
import { html, nothing, svg, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { clock } from "../../ui/units";
import { number, t, word } from "../../i18n/i18n";
import { live } from "../../live/live";
import { call, queryOf } from "../../session/api";
import { session } from "../../session/session";
import { inform } from "../../ui/announce";
import { icon } from "../../ui/icons";
import { Task } from "../../session/task";
import { pageHead } from "../../shell/navigation";
import { Player } from "./player";
import type { AudioChannel, Segment, Transmission } from "./types";

const PAGE = 40;
const HOURS = ["1", "6", "24"];
const BARS = 200;

class AudioPage extends Task {
  private entries: Transmission[] = [];
  private channels: AudioChannel[] = [];
  private count = 0;
  private next: string | null = null;
  private engine = "none";
  private follows = false;
  private stop: (() => void) | null = null;
  private due: ReturnType<typeof setTimeout> | undefined;
  private readonly player = new Player(() => this.requestUpdate());

  constructor() {
    super();
    this.watch(route);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(async () => {
      await Promise.all([this.read(), this.readChannels()]);
      this.engine = (await call("GET audio/stats")).transcription;
    });
    this.stop = live.happening.subscribe((news) => {
      if (news?.topic !== "audio" || news.data.past) return;
      const fresh = news.data as unknown as Transmission;
      if (news.event === "audio:transcript") this.renew(fresh);
      else this.arrived(fresh);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.due);
    this.due = undefined;
    this.player.stop();
    this.stop?.();
  }

  private get query(): Record<string, string | undefined> {
    const { channel, q, callsign, status, min_duration_s, from, to } = route.value.query;
    return { channel, q, callsign, status, min_duration_s, from: instant(from), to: instant(to) };
  }

  private async read(): Promise<void> {
    const query = { ...this.query, waveform: true, limit: PAGE };
    const answer = await this.asList(call("GET audio/transmissions", { query }));
    this.entries = answer.transmissions;
    this.count = answer.count;
    this.next = answer.next;
  }

  private async readChannels(): Promise<void> {
    this.channels = (await call("GET audio/channels")).channels;
  }

  private async more(): Promise<void> {
    const answer = await this.asNextPage(call("GET audio/transmissions", { query: queryOf(this.next!) }));
    this.entries = [...this.entries, ...answer.transmissions];
    this.next = answer.next;
  }

  private renew(fresh: Transmission): void {
    this.entries = this.entries.map((one) => (one.id === fresh.id ? { ...fresh, waveform: one.waveform } : one));
    this.requestUpdate();
  }

  private arrived(fresh: Transmission): void {
    const { channel } = route.value.query;
    if (this.follows && (!channel || channel === fresh.channel)) this.player.enqueue([fresh.id]);
    // Many that come together are read once.
    this.due ??= setTimeout(() => {
      this.due = undefined;
      void this.attemptRead(() => Promise.all([this.read(), this.readChannels()]));
    }, 200);
  }

  private readonly search = (event: Event): void => {
    event.preventDefault();
    const form = new FormData((event.currentTarget as HTMLElement).closest("form")!);
    note(Object.fromEntries([...form].map(([name, value]) => [name, String(value).trim()])));
    void this.attemptRead(() => this.read());
  };

  private playAll(hours: string): void {
    void this.attempt(async () => {
      const from = new Date(Date.now() - Number(hours) * 3_600_000).toISOString();
      const { items } = await call("GET audio/playlist", {
        query: { channel: this.query.channel, from, limit: 500 },
      });
      this.player.stop();
      if (!items.length) inform(t("audio.nothing"));
      else this.player.enqueue(items.map(({ id }) => id));
      // What is played may be older than what is listed.
      const missing = items.filter(({ id }) => !this.entries.some((one) => one.id === id)).slice(0, 100);
      const fetched = await Promise.all(
        missing.map(({ id }) => call("GET audio/transmissions/{id}", { path: { id } })),
      );
      this.entries = [...this.entries, ...fetched].sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id);
    });
  }

  private transcribe(one: Transmission): void {
    void this.attempt(async () =>
      this.renew(await call("POST audio/transmissions/{id}/transcribe", { path: { id: one.id } })),
    );
  }

  private erase(one: Transmission): void {
    if (!confirm(t("audio.delete_sure"))) return;
    void this.attempt(async () => {
      await call("DELETE audio/transmissions/{id}", { path: { id: one.id } });
      await this.read();
    });
  }

  protected override render(): TemplateResult {
    const { query } = route.value;
    return html`<div class="sheet audio">${pageHead("nav.audio")}
      <form class="toolbar" role="search" @submit=${this.search}>
        <label><span>${t("audio.channel")}</span><select name="channel" @change=${this.search}><option value="">${t("filter.all")}</option>
          ${this.channels.map((one) => html`<option value=${one.channel} ?selected=${one.channel === query.channel}>${one.channel}${one.frequency_mhz === null ? "" : ` · ${mhz(one.frequency_mhz)}`} (${number(one.transmissions)})</option>`)}</select></label>
        <label><span>${t("audio.words")}</span><input name="q" type="search" .value=${query.q ?? ""} autocomplete="off" /></label>
        <button class="primary">${t("search")}</button>
        <details class="whole" ?open=${[query.callsign, query.min_duration_s, query.from, query.to].some(Boolean)}><summary>${t("list.filters")}</summary><div class="toolbar">
          <label><span>${t("column.flight")}</span><input name="callsign" .value=${query.callsign ?? ""} autocomplete="off" maxlength="8" /></label>
          <label><span>${t("audio.at_least")}</span><input name="min_duration_s" type="number" min="0" max="600" step="any" .value=${query.min_duration_s ?? ""} /></label>
          <label><span>${t("filter.from")}</span><input name="from" type="datetime-local" .value=${query.from ?? ""} /></label>
          <label><span>${t("filter.to")}</span><input name="to" type="datetime-local" .value=${query.to ?? ""} /></label>
        </div></details>
      </form>
      ${this.deck()}
      ${this.fault()}
      ${this.entries.length ? html`<p class="hint" role="status">${t("audio.count", { n: this.count })}</p>` : nothing}
      ${this.entries.length ? html`<ul class="cards">${this.entries.map((one) => this.card(one))}</ul>` : this.emptyList(t(Object.values(query).some(Boolean) ? "audio.none" : "audio.begin"))}
      ${this.next ? html`<button @click=${() => void this.attempt(() => this.more())}>${t("more")}</button>` : nothing}
    </div>`;
  }

  /** What plays a whole span, or what comes. */
  private deck(): TemplateResult {
    const { player } = this;
    const names = { "1": "span.hour", "6": "span.hours6", "24": "span.day" } as const;
    const follow = (): void => {
      this.follows = !this.follows;
      this.requestUpdate();
    };
    return html`<div class="bar deck" role="group" aria-label=${t("audio.playlist")}>
      <span class="hint">${t("audio.play_last")}</span>
      ${HOURS.map((hours) => html`<button type="button" @click=${() => this.playAll(hours)}>${t(names[hours as "1"])}</button>`)}
      <label class="check"><input type="checkbox" .checked=${this.follows} @change=${follow} /> ${t("audio.follow")}</label>
      ${
        player.queue.length
          ? html`<span role="status">${t("audio.queued", { n: player.queue.length })}</span><button type="button" class="plain link" @click=${() => void player.next()}>${t("audio.skip")}</button>
            <button type="button" class="plain link" @click=${() => this.endQueue()}>${t("audio.end")}</button>`
          : nothing
      }
      ${player.error ? html`<p class="field-fault" role="alert">${player.error}</p>` : nothing}
    </div>`;
  }

  private endQueue(): void {
    this.player.stop();
    this.requestUpdate();
  }

  private card(one: Transmission): TemplateResult {
    const { player } = this;
    const isCurrent = player.current === one.id;
    const isPlaying = isCurrent && player.isPlaying;
    const name = `${one.channel}, ${clock(one.at)}`;
    const press = (): void => (isPlaying ? player.pause() : void player.play(one.id));
    return html`<li class="transmission ${isCurrent ? "chosen" : ""}">
      <button class="tool play" @click=${press} ?disabled=${isCurrent && player.isLoading} aria-label="${t(isPlaying ? "pause" : "play")}: ${name}">${icon(isPlaying ? "pause" : "play")}</button>
      <div class="transmission-body">
        <p><b>${one.channel}</b> ${one.frequency_mhz === null ? nothing : html`<small class="mono">${mhz(one.frequency_mhz)}</small>`}
          ${one.callsign ? html`<a class="mono" href="#/map?hex=${(one.icao_hex ?? "").toLowerCase()}">${one.callsign}</a>` : nothing}
          ${one.flags.map((flag) => html`<span class="tag ${flag === "possible_distress" ? "warning" : ""}">${word("audio", flag)}</span>`)}</p>
        ${this.wave(one, isCurrent)}
        <p><small>${clock(one.at, true)} · ${seconds(isCurrent ? player.at : null, one.duration_s)}</small></p>
        ${this.words(one, isCurrent)}
        ${this.tools(one)}
      </div></li>`;
  }

  private wave(one: Transmission, isCurrent: boolean): TemplateResult {
    const share = isCurrent && one.duration_s ? Math.min(1, this.player.at / one.duration_s) : 0;
    const levels = one.waveform ?? [];
    // Quiet recordings are shown as high as loud ones.
    const highest = Math.max(0.02, ...levels);
    const bars = levels
      .map((peak, at) => [peak / highest, at])
      .map(
        ([level, at]) =>
          `M${at + 0.5} ${(20 - Math.max(0.6, level * 19)).toFixed(1)}V${(20 + Math.max(0.6, level * 19)).toFixed(1)}`,
      );
    const cut = Math.round(share * bars.length);
    const seek = (event: Event): void => {
      const at = Number((event.target as HTMLInputElement).value);
      if (isCurrent) this.player.seek(at);
      else void this.player.play(one.id, at);
    };
    return html`<div class="wave">
      <svg viewBox="0 0 ${BARS} 40" preserveAspectRatio="none" aria-hidden="true">${svg`<path class="played" d=${bars.slice(0, cut).join("")} /><path d=${bars.slice(cut).join("")} />`}</svg>
      <input type="range" min="0" max=${one.duration_s} step="0.1" .value=${String(isCurrent ? this.player.at : 0)} aria-label="${t("audio.position")}: ${one.channel}, ${clock(one.at)}"
        aria-valuetext=${seconds(isCurrent ? this.player.at : 0, one.duration_s)} @input=${seek} />
    </div>`;
  }

  private words(one: Transmission, isCurrent: boolean): TemplateResult | typeof nothing {
    if (one.transcript && one.segments.length > 1) {
      const isNow = ({ begin_s, end_s }: Segment): boolean =>
        isCurrent && this.player.at >= begin_s && this.player.at < end_s;
      return html`<p class="transcript">${one.segments.map((segment) => html`<button class="plain ${isNow(segment) ? "now" : ""}" @click=${() => this.jump(one, segment)}>${segment.text}</button> `)}</p>`;
    }
    if (one.transcript) return html`<p class="transcript">${one.transcript}</p>`;
    if (one.status === "none") return nothing;
    return html`<p><small>${word("audio", one.status === "queued" ? "queued_state" : one.status)}${one.reason ? `: ${one.reason}` : ""}</small></p>`;
  }

  private jump(one: Transmission, segment: Segment): void {
    if (this.player.current === one.id) this.player.seek(segment.begin_s);
    void this.player.play(one.id, segment.begin_s);
  }

  private tools(one: Transmission): TemplateResult | typeof nothing {
    const mayTranscribe =
      this.engine !== "none" &&
      session.can("audio.transcribe") &&
      one.status !== "queued" &&
      one.status !== "processing";
    const mayErase = session.can("audio.delete");
    if (!mayTranscribe && !mayErase) return nothing;
    return html`<p class="actions">${mayTranscribe ? html`<button class="plain link" @click=${() => this.transcribe(one)}>${t(one.transcript ? "audio.transcribe_again" : "audio.transcribe")}</button>` : nothing}
      ${mayErase ? html`<button class="plain link" @click=${() => this.erase(one)}>${t("delete")}</button>` : nothing}</p>`;
  }
}

const mhz = (frequency: number): string => `${number(frequency, 3)} MHz`;

function seconds(at: number | null, whole: number): string {
  const length = t("audio.seconds", { n: number(whole, 1) });
  return at === null ? length : `${number(at, 1)} / ${length}`;
}

/** The time of an input in this browser's zone, as the service takes it. */
function instant(local: string | undefined): string | undefined {
  if (!local) return undefined;
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

customElements.define("sw-audio", AudioPage);
