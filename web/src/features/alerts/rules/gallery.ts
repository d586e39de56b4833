// The gallery of rules to start from, and what fills the editor.
import { html, type TemplateResult } from "lit";
import { t, type TextKey } from "../../../i18n/i18n";
import { live } from "../../../live/live";
import { session } from "../../../session/session";
import { inform } from "../../../ui/announce";
import { View } from "../../../ui/view";
import { go } from "../address";
import type { Rule } from "../types";
import {
  aboutAircraft,
  around,
  documentOf,
  isReadyMade,
  needsPlace,
  READY_MADE,
  type Position,
  type ReadyMade,
} from "./ready_made";

const WAIT_MS = 15_000;
/** Where this browser is, if a rule asked for it; it stands in no address. */
let position: Position | null = null;

/** What a new rule begins with: a ready-made one (`ready`), or a rule about one aircraft by its address (`about`) with the name that people call it (`as`). */
export function startOf({ ready: name, about, as }: Record<string, string>): Partial<Rule> | null {
  if (about) return { name: t("rule.in_range", { name: as || about.toUpperCase() }), conditions: aboutAircraft(about) };
  if (!isReadyMade(name)) return null;
  const { priority, conditions } = documentOf(name);
  const start = { name: t(`ready.${name}`), priority: priority as Rule["priority"], conditions };
  const hex = live.selectedHex.value;
  if (name === "watched" && hex)
    return {
      ...start,
      name: String(live.selected.value?.flight || hex.toUpperCase()).trim(),
      conditions: aboutAircraft(hex),
    };
  return needsPlace(conditions) && !live.station.value && position
    ? { ...start, conditions: around(conditions, position) }
    : start;
}

class Gallery extends View {
  private waiting: ReadyMade | null = null;

  constructor() {
    super();
    this.watch(live.station, live.selectedHex, live.selected);
  }

  private start(name: ReadyMade): void {
    if (live.station.value || position || !needsPlace(documentOf(name).conditions)) return this.fill(name);
    this.waiting = name;
    this.requestUpdate();
    const done = (): void => {
      this.waiting = null;
      this.requestUpdate();
    };
    const refused = (): void => {
      done();
      inform(t("ready.no_position"), "error");
    };
    if (!("geolocation" in navigator)) return refused();
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        done();
        position = [coords.latitude, coords.longitude];
        this.fill(name);
      },
      refused,
      { timeout: WAIT_MS, maximumAge: 600_000 },
    );
  }

  private fill(name: ReadyMade): void {
    go("rules", { id: "new", ready: name });
  }

  private hint(name: ReadyMade): string {
    const { hex, flight } = { hex: live.selectedHex.value, flight: live.selected.value?.flight };
    if (name === "watched" && hex) return t("ready.watched_this", { name: String(flight || hex.toUpperCase()).trim() });
    return t(`ready.${name}_hint` as TextKey);
  }

  protected override render(): TemplateResult {
    const offered = READY_MADE.filter((name) => {
      const { needs } = documentOf(name);
      return !needs || session.can(needs);
    });
    return html`<section class="section" aria-labelledby="ready-title"><h2 id="ready-title">${t("ready.title")}</h2>
      <ul class="gallery">${offered.map(
        (name) =>
          html`<li><button data-ready=${name} ?disabled=${this.waiting !== null} @click=${() => this.start(name)}><b>${t(`ready.${name}`)}</b><small>${this.waiting === name ? t("ready.waiting") : this.hint(name)}</small></button></li>`,
      )}</ul></section>`;
  }
}

customElements.define("sw-rule-gallery", Gallery);
