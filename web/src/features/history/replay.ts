// The stored sky on a time line: fetched as a stream, played at a speed of choice, with the live map's own drawing.
import { html, nothing, type TemplateResult } from "lit";
import { note, route } from "../../core/address";
import { mercatorX, mercatorY } from "../../core/mercator";
import { preferences } from "../../core/preferences";
import { t } from "../../i18n/i18n";
import { live } from "../../live/live";
import type { Aircraft } from "../../live/messages";
import { giveBack, lentTrails, wantedView } from "../../map/lent";
import { paint } from "../../map/trails";
import { ask, call, lines } from "../../session/api";
import type { Schemas } from "../../session/operations";
import { Task } from "../../session/task";
import { LENGTHS_MIN } from "../../shell/replay";
import { icon } from "../../ui/icons";
import { clock } from "../../ui/units";
import { instant, localInput } from "./days";
import { bars, BINS, following, indexAt, profile, speedFor, speedsWith, type Timeline } from "./timeline";
import { raw, type RawPoint } from "./track";

interface Moment {
  now: number;
  aircraft: Aircraft[];
  count: number;
  end?: boolean;
}

/** Pictures of a replay: of a short one so many, ten seconds apart from an hour on, and farther where they would be too many. */
const MOMENTS = 360;
const MAX_STEP_S = 10;
const MAX_MOMENTS = 2200;
const MIN_SPAN_MS = 60_000;
const MAX_TRACKS = 12;
const NOTE_MS = 2000;
const LEAP_S = 60;

class Replay extends Task {
  private moments: Moment[] = [];
  private times: number[] = [];
  private at = 0;
  /** How much faster than it was; until somebody chooses, so that a replay takes a minute. */
  private speed = 60;
  private isSpeedChosen = false;
  /** When the replayed flight ended, or was heard last (unix ms). */
  private flightEnd = Infinity;
  private line: Timeline | null = null;
  private tracks: RawPoint[][] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isPlaying = false;
  private isLoading = false;
  /** Where to go as soon as that moment has come in (unix seconds). */
  private goal: number | null = null;
  private notedAt = 0;
  private opened = "";
  private work: AbortController | null = null;
  private leave: (() => void) | undefined;

  constructor() {
    super();
    this.watch(route, preferences);
  }

  private get minutes(): number {
    const minutes = Number(route.value.query.minutes);
    return LENGTHS_MIN.includes(minutes) ? minutes : 60;
  }

  /** Begin and end of the span (unix ms); without a begin in the address it ends now. It never ends in the future, nor after the flight. */
  private get span(): [number, number] {
    const begin = Date.parse(route.value.query.begin ?? "");
    const from = Number.isNaN(begin) ? Date.now() - this.minutes * 60_000 : begin;
    return [from, Math.max(from + MIN_SPAN_MS, Math.min(from + this.minutes * 60_000, Date.now(), this.flightEnd))];
  }

  /** What of the address makes another replay; its time does not. */
  private get selection(): string {
    const { begin = "", minutes = "", hex = "", flight = "" } = route.value.query;
    return [begin, minutes, hex, flight].join(" ");
  }

  override connectedCallback(): void {
    super.connectedCallback();
    lentTrails.set([]);
    document.addEventListener("keydown", this.key);
    this.open();
    // By a link, or by going back: the address says which replay it is.
    this.leave = route.subscribe(
      ({ page, query }) =>
        page === "history" && query.tab === "replay" && this.selection !== this.opened && this.open(),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.leave?.();
    document.removeEventListener("keydown", this.key);
    this.stop();
    giveBack();
    live.send({ type: "select", ...live.selection, isAlone: live.isAlone.value });
    if (!live.isReplay.value) return;
    live.isReplay.set(false);
    live.send({ type: "replay", on: false });
  }

  private stop(): void {
    this.work?.abort();
    clearTimeout(this.timer);
    this.isPlaying = this.isLoading = false;
    this.moments = [];
    this.times = [];
    this.at = 0;
    this.tracks = [];
    this.flightEnd = Infinity;
  }

  /** Read what the address names: its time line, and where it names a begin, the replay itself. */
  private open(): void {
    this.opened = this.selection;
    this.stop();
    const { begin, t: time } = route.value.query;
    const moment = Date.parse(time ?? "");
    this.goal = Number.isNaN(moment) ? null : moment / 1000;
    const { signal } = (this.work = new AbortController());
    void this.attemptRead(begin ? () => this.load() : () => this.readLine(signal, ...this.span));
  }

  private async readLine(signal: AbortSignal, from: number, to: number): Promise<void> {
    const line = await call("GET history/timeline", { query: { from: iso(from), to: iso(to), bins: BINS } });
    if (signal.aborted) return;
    this.line = line;
  }

  private async load(): Promise<void> {
    this.work?.abort();
    const work = (this.work = new AbortController());
    await this.readTracks(work.signal, ...this.span);
    if (work.signal.aborted) return;
    const [from, to] = this.span;
    await this.readLine(work.signal, from, to);
    if (work.signal.aborted || !this.line?.first_at) return;
    if (!this.isSpeedChosen) this.speed = speedFor(Date.parse(this.line.first_at), to);
    this.isLoading = true;
    live.isReplay.set(true);
    live.send({ type: "replay", on: true });
    live.send({ type: "select", hex: this.hexes[0] ?? null, also: this.hexes.slice(1), isAlone: false });
    try {
      const spanS = (to - from) / 1000;
      const step = Math.max(Math.min(MAX_STEP_S, Math.ceil(spanS / MOMENTS)), Math.ceil(spanS / MAX_MOMENTS));
      const query = { from: this.line.first_at, to: iso(to), step_s: step };
      for await (const moment of lines<Moment>(await ask("GET history/replay", { query, signal: work.signal }))) {
        if (work.signal.aborted) return;
        if (moment.end) break;
        this.take(moment);
      }
    } catch (error) {
      if (work.signal.aborted) return;
      throw error;
    } finally {
      if (this.work === work) this.isLoading = false;
    }
    if (this.goal !== null && this.moments.length) this.reach();
  }

  private take(moment: Moment): void {
    this.moments.push(moment);
    this.times.push(moment.now);
    if (this.goal !== null ? moment.now >= this.goal : this.moments.length === 2) this.reach();
    if (this.moments.length % 60 === 0) this.requestUpdate();
  }

  /** The moment to begin with has come in. */
  private reach(): void {
    this.at = this.goal === null ? 0 : indexAt(this.times, this.goal);
    this.goal = null;
    this.play();
  }

  /** Whose tracks the address names. */
  private get hexes(): string[] {
    const { hex = "" } = route.value.query;
    return hex
      .split(",")
      .filter((one) => /^~?[0-9a-f]{6}$/i.test(one))
      .slice(0, MAX_TRACKS);
  }

  private async readTracks(signal: AbortSignal, from: number, to: number): Promise<void> {
    const { hexes } = this;
    const id = Number(route.value.query.flight);
    const answers =
      Number.isSafeInteger(id) && id > 0
        ? [this.readFlight(signal, id)]
        : hexes.map((one) =>
            call("GET history/tracks/{icao_hex}", {
              path: { icao_hex: one },
              query: { from: iso(from), to: iso(Math.min(to, Date.now())) },
            }),
          );
    const tracks = await Promise.all(answers);
    if (signal.aborted) return;
    this.tracks = tracks.map(({ points }) => raw(points));
    const points = this.tracks.flat();
    if (points.length) wantedView.set(points.map(({ lat, lon }) => [mercatorX(lon), mercatorY(lat)]));
  }

  private async readFlight(signal: AbortSignal, id: number): Promise<Schemas["FlightTrack"]> {
    const track = await call("GET history/flights/{flight_id}/track", { path: { flight_id: id } });
    // Of a flight in the air there is nothing later than now.
    if (!track.flight.active && !signal.aborted) this.flightEnd = Date.parse(track.flight.last_seen_at);
    return track;
  }

  private show(): void {
    const moment = this.moments[this.at];
    if (!moment) return;
    live.now.set(moment.now);
    live.send({
      type: "moment",
      now: moment.now,
      speed: this.isPlaying ? this.speed : 0,
      aircraft: moment.aircraft.map((one) => ({ ...one })),
    });
    lentTrails.set(this.tracks.map((track) => paint(track.filter(({ at }) => at <= moment.now))));
    if (!this.isPlaying || Date.now() - this.notedAt > NOTE_MS) this.noteTime(moment.now);
    this.requestUpdate();
  }

  /** The time stands in the address, so that a reload, or somebody else, goes on from there. */
  private noteTime(now: number): void {
    if (route.value.page !== "history" || route.value.query.tab !== "replay") return;
    this.notedAt = Date.now();
    note({ t: iso(now * 1000) });
  }

  private play(): void {
    if (this.at >= this.moments.length - 1 && !this.isLoading) this.at = 0;
    this.isPlaying = true;
    this.step();
  }

  private step(): void {
    clearTimeout(this.timer);
    this.show();
    const next = following(this.times, this.at, this.speed);
    if (next === this.at) {
      if (!this.isLoading) this.pause();
      else this.timer = setTimeout(() => this.step(), 300);
      return;
    }
    const wait = ((this.times[next] - this.times[this.at]) / this.speed) * 1000;
    this.timer = setTimeout(() => {
      this.at = next;
      this.step();
    }, wait);
  }

  private pause(): void {
    clearTimeout(this.timer);
    this.isPlaying = false;
    this.show();
  }

  private seek(moment: number): void {
    if (!this.moments.length) return;
    this.at = indexAt(this.times, moment);
    // What has not come in yet is gone to when it does.
    this.goal = this.isLoading && moment > this.times[this.times.length - 1] ? moment : null;
    if (this.isPlaying) this.step();
    else this.show();
  }

  private toggle(): void {
    if (!this.moments.length) this.begin({});
    else if (this.isPlaying) this.pause();
    else this.play();
  }

  /** One moment forward (1) or back (-1), and stay there. */
  private turn(step: 1 | -1): void {
    if (!this.moments.length) return;
    this.goal = null;
    this.at = Math.max(0, Math.min(this.moments.length - 1, this.at + step));
    this.pause();
  }

  private accelerate(step: number): void {
    const speeds = speedsWith(this.speed);
    this.choose(speeds[Math.max(0, Math.min(speeds.length - 1, speeds.indexOf(this.speed) + step))]);
  }

  private choose(speed: number): void {
    this.speed = speed;
    this.isSpeedChosen = true;
    if (this.isPlaying) this.step();
    this.requestUpdate();
  }

  /** Play a span from its begin; the address says which. */
  private begin(change: Record<string, string | null>): void {
    const begin = route.value.query.begin || iso(this.span[0]);
    note({ begin, t: null, ...change });
    if (this.selection === this.opened) this.open();
  }

  private readonly key = (event: KeyboardEvent): void => {
    const { tagName } = event.target as HTMLElement;
    // The arrows move the map where the focus is on it.
    if (event.key.startsWith("Arrow") && event.target instanceof Element && event.target.closest("sw-map")) return;
    if (!preferences.value.shortcuts || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(tagName) || (event.key === " " && /^(BUTTON|A|SUMMARY)$/.test(tagName)))
      return;
    const now = this.moments[this.at]?.now ?? 0;
    const actions: Record<string, () => void> = {
      " ": () => this.toggle(),
      k: () => this.toggle(),
      j: () => this.seek(now - LEAP_S),
      l: () => this.seek(now + LEAP_S),
      ArrowLeft: () => this.turn(-1),
      ArrowRight: () => this.turn(1),
      ",": () => this.accelerate(-1),
      ".": () => this.accelerate(1),
    };
    if (!(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
  };

  protected override render(): TemplateResult {
    const { query } = route.value;
    const moment = this.moments[this.at];
    const changed = (event: Event): string => (event.target as HTMLInputElement).value;
    return html`<div class="toolbar">
        <label><span>${t("filter.from")}</span><input type="datetime-local" .value=${localInput(this.span[0])} @change=${(event: Event) => this.begin({ begin: instant(changed(event)) ?? null, hex: null, flight: null })} /></label>
        <label><span>${t("replay.length")}</span><select @change=${(event: Event) => this.begin({ minutes: changed(event) })}>
          ${LENGTHS_MIN.map((minutes) => html`<option value=${minutes} ?selected=${minutes === this.minutes}>${minutes < 60 ? `${minutes} min` : `${minutes / 60} h`}</option>`)}</select></label>
        ${moment ? nothing : html`<button class="primary" ?disabled=${this.isLoading} @click=${() => this.begin({})}>${t("replay.load")}</button>`}
      </div>
      ${query.begin ? nothing : html`<p class="hint">${t("replay.hint")}</p>`}
      ${this.fault()}
      ${this.line ? this.renderLine(this.line, moment) : nothing}
      <p class="hint" role="status">${this.status(moment)}</p>
      ${preferences.value.shortcuts ? html`<p class="hint keys-hint">${t("replay.keys")}</p>` : nothing}`;
  }

  private status(moment: Moment | undefined): string {
    if (this.line && !this.line.first_at) return t("replay.none");
    const loading = this.isBusy || this.isLoading ? t("loading") : "";
    return [moment ? t("replay.aircraft", { n: moment.aircraft.length }) : "", loading].filter(Boolean).join(" · ");
  }

  private renderLine(line: Timeline, moment: Moment | undefined): TemplateResult {
    const [from, to] = [Date.parse(line.from) / 1000, Date.parse(line.to) / 1000];
    const now = moment?.now ?? from;
    return html`${
      moment
        ? html`<div class="player">
            <button class="tool" aria-label=${this.isPlaying ? t("pause") : t("play")} @click=${() => this.toggle()}>${icon(this.isPlaying ? "pause" : "play")}</button>
            <button class="tool" aria-label=${t("replay.back")} title=${t("replay.back")} @click=${() => this.turn(-1)}>${icon("previous")}</button>
            <button class="tool" aria-label=${t("replay.forward")} title=${t("replay.forward")} @click=${() => this.turn(1)}>${icon("chevron")}</button>
            <output>${stamp(now)}</output>
            <select aria-label=${t("replay.speed")} @change=${(event: Event) => this.choose(Number((event.target as HTMLSelectElement).value))}>${speedsWith(this.speed).map((speed) => html`<option value=${speed} .selected=${speed === this.speed}>${speed}×</option>`)}</select>
          </div>`
        : nothing
    }
      <div class="time-line">${bars(line, moment ? (now - from) / (to - from) : 0)}
        <input type="range" min=${Math.floor(from)} max=${Math.ceil(to)} step="1" .value=${String(Math.round(now))} ?disabled=${!moment} aria-label=${t("replay.time")} aria-valuetext=${stamp(now)}
          @input=${(event: Event) => this.seek(Number((event.target as HTMLInputElement).value))} />
        <p class="ends"><span>${stamp(from)}</span><span>${stamp(to)}</span></p></div>
      ${profile(this.tracks, from, to, moment?.now)}`;
  }
}

/** A moment (unix s) as people say it: today 09:19:23. */
function stamp(moment: number): string {
  return clock(moment * 1000, true);
}

function iso(moment: number): string {
  return `${new Date(moment).toISOString().slice(0, 19)}Z`;
}

customElements.define("sw-history-replay", Replay);
