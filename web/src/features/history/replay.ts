// The stored sky on a time line: fetched as a stream, played at a speed of choice, with the live map's own drawing.
import { html, nothing, type TemplateResult } from "lit";
import { clock } from "../../ui/units";
import { t } from "../../i18n/i18n";
import { live } from "../../live/live";
import type { Aircraft } from "../../live/messages";
import { lines } from "../../session/api";
import { faultText } from "../../session/fault";
import { icon } from "../../ui/icons";

interface Moment {
  now: number;
  aircraft: Aircraft[];
  count: number;
  end?: boolean;
}

const SPEEDS = [10, 30, 60, 120, 300];
const SPANS_MIN = [15, 60, 180, 360];
const MOST_MOMENTS = 2200;

export class Replay {
  private moments: Moment[] = [];
  private at = 0;
  private speed = 60;
  private minutes = 60;
  private from = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isPlaying = false;
  private isLoading = false;
  private error = "";
  private work: AbortController | null = null;

  constructor(private readonly changed: () => void) {}

  end(): void {
    this.work?.abort();
    this.pause();
    this.moments = [];
    if (live.isReplay.value) {
      live.isReplay.set(false);
      live.send({ type: "replay", on: false });
    }
  }

  private async load(): Promise<void> {
    this.work?.abort();
    this.pause();
    const work = (this.work = new AbortController());
    const begin = this.from ? new Date(this.from) : new Date(Date.now() - this.minutes * 60_000);
    const end = new Date(begin.getTime() + this.minutes * 60_000);
    Object.assign(this, { moments: [], at: 0, error: "", isLoading: true });
    live.isReplay.set(true);
    live.send({ type: "replay", on: true });
    this.changed();
    const step = Math.max(10, Math.ceil((this.minutes * 60) / MOST_MOMENTS));
    try {
      const query = { from: begin.toISOString(), to: end.toISOString(), step_s: step };
      for await (const moment of lines<Moment>("history/replay", { query, signal: work.signal })) {
        if (moment.end) break;
        this.moments.push(moment);
        if (this.moments.length === 2) this.play();
        if (this.moments.length % 60 === 0) this.changed();
      }
    } catch (error) {
      if (!work.signal.aborted) this.error = faultText(error);
    }
    if (this.work === work) this.isLoading = false;
    this.changed();
  }

  private show(): void {
    const moment = this.moments[this.at];
    if (moment) live.send({ type: "moment", now: moment.now, speed: this.isPlaying ? this.speed : 0, aircraft: moment.aircraft.map((one) => ({ ...one })) });
    this.changed();
  }

  private play(): void {
    this.isPlaying = true;
    this.step();
  }

  private step(): void {
    clearTimeout(this.timer);
    this.show();
    const next = this.moments[this.at + 1];
    if (!next) {
      if (!this.isLoading) this.pause();
      else this.timer = setTimeout(() => this.step(), 300);
      return;
    }
    const wait = ((next.now - this.moments[this.at].now) / this.speed) * 1000;
    this.timer = setTimeout(() => {
      this.at += 1;
      this.step();
    }, wait);
  }

  private pause(): void {
    clearTimeout(this.timer);
    this.isPlaying = false;
    if (this.moments.length) this.show();
  }

  private seek(at: number): void {
    this.at = at;
    if (this.isPlaying) this.step();
    else this.show();
  }

  render(): TemplateResult {
    const moment = this.moments[this.at];
    return html`<div class="toolbar">
        <label><span>${t("filter.from")}</span><input type="datetime-local" .value=${this.from} @change=${(event: Event) => (this.from = (event.target as HTMLInputElement).value)} /></label>
        <label><span>${t("replay.length")}</span><select @change=${(event: Event) => (this.minutes = Number((event.target as HTMLSelectElement).value))}>
          ${SPANS_MIN.map((minutes) => html`<option value=${minutes} ?selected=${minutes === this.minutes}>${minutes < 60 ? `${minutes} min` : `${minutes / 60} h`}</option>`)}</select></label>
        <button class="primary" @click=${() => void this.load()}>${t("replay.load")}</button>
      </div>
      <p class="hint">${t("replay.hint")}</p>
      ${this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing}
      ${this.moments.length
        ? html`<div class="player">
            <button class="tool" aria-label=${this.isPlaying ? t("pause") : t("play")} @click=${() => (this.isPlaying ? this.pause() : this.play())}>${icon(this.isPlaying ? "pause" : "play")}</button>
            <output>${moment ? clock(moment.now * 1000, true) : ""}</output>
            <select aria-label=${t("replay.speed")} @change=${(event: Event) => {
              this.speed = Number((event.target as HTMLSelectElement).value);
              if (this.isPlaying) this.step();
            }}>${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === this.speed}>${speed}×</option>`)}</select>
          </div>
          <input type="range" min="0" max=${this.moments.length - 1} .value=${String(this.at)} aria-label=${t("replay.time")} aria-valuetext=${moment ? clock(moment.now * 1000, true) : ""}
            @input=${(event: Event) => this.seek(Number((event.target as HTMLInputElement).value))} />
          <p class="hint">${t("replay.aircraft", { n: moment?.aircraft.length ?? 0 })}${this.isLoading ? ` · ${t("loading")}` : ""}</p>`
        : nothing}`;
  }
}
