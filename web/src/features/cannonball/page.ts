// Cannonball for a phone: the own position on leave given, threats around with bearing and distance, spoken alerts.
import { html, nothing, svg, type TemplateResult } from "lit";
import { prefer, preferences } from "../../core/preferences";
import { bearing, clock, measure } from "../../ui/units";
import { styled } from "../../ui/view";
import { language, number, saidIn, t, word } from "../../i18n/i18n";
import { live } from "../../live/live";
import { ApiError, call } from "../../session/api";
import { faultText } from "../../session/fault";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";
import { announce } from "../../ui/announce";
import { icon } from "../../ui/icons";
import { Task } from "../../session/task";
import "./list_offer";

type Threat = Schemas["SessionRecord"];

type Alert = Schemas["AlertRecord"];

const SEND_EVERY_MS = 5000;
const READ_EVERY_MS = 5000;
const LEVEL_TAG: Record<string, string> = { critical: "danger", warning: "warning", info: "" };
const MPS_TO_KT = 1.943844;
const DIAL = 100;
/** Whose position this browser watches: it goes on where that person comes back to the page. */
let watched: { user: number | undefined } | null = null;

class Cannonball extends Task {
  private threats: Threat[] = [];
  private alerts: Alert[] = [];
  private position: GeolocationPosition | null = null;
  private isTracking = false;
  private radius = 25;
  private watchId: number | null = null;
  private sentAt = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private stop: (() => void) | null = null;
  /** Keeps the screen on while threats are watched; a browser ends it whenever the page is hidden. */
  private awake: WakeLockSentinel | null = null;

  constructor() {
    super();
    this.watch(preferences);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.read();
    if (watched !== null && watched.user === session.user.value?.id) this.begin();
    else void this.resume();
    document.addEventListener("visibilitychange", this.stayAwake);
    this.timer = setInterval(() => document.hidden || void this.read(), READ_EVERY_MS);
    this.stop = live.happening.subscribe((news) => {
      if (news?.event.startsWith("cannonball:")) void this.take(news.event, news.data as unknown as Alert);
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.timer);
    this.stop?.();
    if (this.watchId !== null) navigator.geolocation.clearWatch(this.watchId);
    this.watchId = null;
    document.removeEventListener("visibilitychange", this.stayAwake);
    this.letSleep();
  }

  private readonly stayAwake = (): void => void this.keepAwake();

  private async keepAwake(): Promise<void> {
    if (!("wakeLock" in navigator) || document.hidden || this.watchId === null) return;
    try {
      const lock = await navigator.wakeLock.request("screen");
      // Whoever stopped meanwhile is done with it.
      if (this.watchId === null) void lock.release();
      else this.awake = lock;
    } catch (error) {
      console.debug("The screen may go dark:", error); // The battery is low, or the person does not want it.
    }
  }

  private letSleep(): void {
    void this.awake?.release();
    this.awake = null;
  }

  private read(): Promise<unknown> {
    // Who manages the area may see everybody's; "around you" is this person's alone.
    const user = session.user.value?.id;
    return this.attemptRead(async () => {
      const [{ sessions }, { alerts }] = await Promise.all([
        // The short form of the active ones has no agency.
        call("GET cannonball/sessions/", { query: { user, is_active: true } }),
        call("GET cannonball/alerts/", { query: { user, limit: 20 } }),
      ]);
      this.threats = sessions.sort((one, other) => other.urgency_score - one.urgency_score);
      this.alerts = alerts;
    });
  }

  /** Whether the service already tracks this person, from another page or device. */
  private async resume(): Promise<void> {
    try {
      const { radius_nm: radius } = await call("GET cannonball/location/");
      this.radius = radius;
      this.isTracking = true;
      this.requestUpdate();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) this.error = faultText(error);
    }
  }

  private readonly start = (): void => {
    this.begin();
    // Speech has to begin in answer to a touch, or phones keep it silent.
    if (preferences.value.sound) this.say(t("cannonball.started"));
  };

  private begin(): void {
    this.error = "";
    this.watchId = navigator.geolocation.watchPosition(
      (position) => void this.locate(position),
      (failure) => {
        this.error = failure.code === failure.PERMISSION_DENIED ? t("cannonball.denied") : t("cannonball.no_position");
        if (failure.code === failure.PERMISSION_DENIED) this.cease();
        this.requestUpdate();
      },
      { enableHighAccuracy: true, maximumAge: 5000 },
    );
    watched = { user: session.user.value?.id };
    this.isTracking = true;
    void this.keepAwake();
    this.requestUpdate();
  }

  private cease(): void {
    if (this.watchId !== null) navigator.geolocation.clearWatch(this.watchId);
    this.watchId = null;
    watched = null;
    this.letSleep();
    this.isTracking = false;
    this.position = null;
  }

  private readonly end = (): void => {
    this.cease();
    void this.attempt(async () => {
      await call("DELETE cannonball/location/");
      this.threats = [];
    });
  };

  private locate(position: GeolocationPosition): Promise<unknown> {
    this.position = position;
    if (Date.now() - this.sentAt < SEND_EVERY_MS) return Promise.resolve();
    this.sentAt = Date.now();
    const { latitude, longitude, heading, speed } = position.coords;
    return this.attempt(async () => {
      await call("PUT cannonball/location/", {
        body: {
          lat: latitude,
          lon: longitude,
          radius_nm: this.radius,
          ...(heading !== null && !Number.isNaN(heading) ? { heading: Math.round(heading) % 360 } : {}),
          ...(speed !== null ? { speed_kt: Math.round(speed * MPS_TO_KT) } : {}),
        },
      });
    });
  }

  private async take(event: string, alert: Alert): Promise<void> {
    await this.read();
    const isOwn = this.alerts.some(({ id }) => id === alert.id);
    if (event === "cannonball:alert" && isOwn) await this.announce(alert);
  }

  private async announce(alert: Alert & { past?: boolean }): Promise<void> {
    if (alert.past || alert.announced) return;
    announce(`${saidIn(alert, "title")}. ${saidIn(alert, "message")}`);
    if (!preferences.value.sound) return;
    this.say(`${saidIn(alert, "title")}. ${saidIn(alert, "message")}`);
    await call("POST cannonball/alerts/{id}/announced/", { path: { id: alert.id } }).catch(() => undefined); // It was said all the same.
  }

  private say(text: string): void {
    if (!("speechSynthesis" in window)) return;
    const words = new SpeechSynthesisUtterance(text);
    words.lang = language.value;
    speechSynthesis.speak(words);
  }

  private acknowledge(alert: Alert | null): void {
    void this.attempt(async () => {
      if (alert) await call("POST cannonball/alerts/{id}/acknowledge/", { path: { id: alert.id } });
      else await call("POST cannonball/alerts/acknowledge-all/");
      await this.read();
    });
  }

  protected override render(): TemplateResult {
    return html`<div class="sheet cannonball"><header><h1>${t("nav.cannonball")}</h1><p>${t("cannonball.about")}</p></header>
      ${this.fault()}
      ${window.isSecureContext ? nothing : html`<p class="error">${t("cannonball.insecure")}</p>`}
      <sw-list-offer></sw-list-offer>
      <div class="cannonball-head">
        ${this.dial()}
        <div class="form">
          <label><span>${t("radius")}: ${measure("distance", this.radius)}</span>
            <input type="range" min="5" max="100" step="5" .value=${String(this.radius)} @input=${(event: Event) => {
              this.radius = Number((event.target as HTMLInputElement).value);
              this.requestUpdate();
            }} /></label>
          <label class="check"><input type="checkbox" .checked=${preferences.value.sound} @change=${() => prefer({ sound: !preferences.value.sound })} /> ${t("cannonball.speak")}</label>
          ${this.isTracking ? html`<button class="big" @click=${this.end}>${t("cannonball.stop")}</button>` : nothing}
          ${this.watchId === null ? html`<button class="primary big" ?disabled=${!window.isSecureContext} @click=${this.start}>${icon("follow")} ${t("cannonball.start")}</button>` : nothing}
        </div>
      </div>
      <section class="section"><h2>${t("cannonball.threats")}</h2>
        ${this.threats.length ? html`<ul class="threats">${this.threats.map((threat) => this.threat(threat))}</ul>` : html`<p class="empty">${this.isTracking ? t("cannonball.clear") : t("cannonball.off")}</p>`}
      </section>
      <section class="section"><h2>${t("cannonball.alerts")}</h2>
        ${this.alerts.some((alert) => !alert.acknowledged) ? html`<button @click=${() => this.acknowledge(null)}>${t("acknowledge_all")}</button>` : nothing}
        ${this.alerts.length ? nothing : html`<p class="empty">${t("cannonball.no_alerts")}</p>`}
        <ul class="cards">${this.alerts.map(
          (alert) => html`<li class="report ${alert.acknowledged ? "done" : ""}">
            <div><span class="tag ${LEVEL_TAG[alert.priority]}">${word("level", alert.priority)}</span> <b>${saidIn(alert, "title")}</b>${alert.simulated ? html` <span class="tag">${t("simulated.tag")}</span>` : nothing}<p>${saidIn(alert, "message")}</p><small>${clock(alert.created_at, true)}</small></div>
            ${alert.acknowledged ? html`<small>${t("acknowledged")}</small>` : html`<button @click=${() => this.acknowledge(alert)}>${t("acknowledge")}</button>`}
          </li>`,
        )}</ul>
      </section>
    </div>`;
  }

  private threat(threat: Threat): TemplateResult {
    const heading = this.position?.coords.heading ?? 0;
    return html`<li class="threat level-${threat.threat_level}">
      <svg class="pointer" viewBox="-20 -20 40 40" width="44" height="44" aria-hidden="true" ${styled({ transform: `rotate(${(threat.bearing ?? 0) - (heading || 0)}deg)` })}>${svg`<path d="M0 -15L10 12L0 6L-10 12Z" fill="currentColor" />`}</svg>
      <div><b>${measure("distance", threat.distance_nm, 1)}</b><span>${bearing(threat.bearing)}</span></div>
      <div class="who"><b class="mono"><a href="#/map?hex=${threat.icao_hex.toLowerCase()}">${threat.callsign || threat.icao_hex}</a></b>
        ${threat.agency_name ? html`<span class="agency">${threat.agency_name}</span>` : nothing}
        <small>${threat.closing_speed_kts === null ? "" : threat.closing_speed_kts > 5 ? t("cannonball.closing", { speed: measure("speed", threat.closing_speed_kts) }) : threat.closing_speed_kts < -5 ? t("cannonball.leaving") : t("cannonball.steady")}</small></div>
      <div class="urgency"><span class="tag ${LEVEL_TAG[threat.threat_level]}">${word("level", threat.threat_level)}</span><small>${number(threat.urgency_score)} / 100</small></div>
    </li>`;
  }

  private dial(): TemplateResult {
    const heading = this.position?.coords.heading || 0;
    const place = (threat: Threat): [number, number] => {
      const radius = Math.min(1, (threat.distance_nm ?? 0) / this.radius) * 84;
      const angle = (((threat.bearing ?? 0) - heading) * Math.PI) / 180;
      return [DIAL + radius * Math.sin(angle), DIAL - radius * Math.cos(angle)];
    };
    return html`<svg class="dial plot rose" viewBox="0 0 200 200" role="img" aria-label=${t("cannonball.dial", { n: this.threats.length })}>
      ${svg`<circle cx="100" cy="100" r="84" /><circle cx="100" cy="100" r="42" /><path d="M100 16V184M16 100H184" />
      <text x=${DIAL + 92 * Math.sin((-heading * Math.PI) / 180)} y=${DIAL - 92 * Math.cos((-heading * Math.PI) / 180) + 4} text-anchor="middle">N</text>
      <path class="me" d="M100 92L106 108L100 104L94 108Z" />
      ${this.threats.map((threat) => {
        const [x, y] = place(threat);
        return svg`<circle class="dot level-${threat.threat_level}" cx=${x} cy=${y} r="6" />`;
      })}`}
    </svg>`;
  }
}

customElements.define("sw-cannonball", Cannonball);
