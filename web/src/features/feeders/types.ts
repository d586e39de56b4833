// What the pages of feeders share.
import { html, type TemplateResult } from "lit";
import { word } from "../../i18n/i18n";
import type { Schemas } from "../../session/operations";
import { session } from "../../session/session";

export type Feeder = Schemas["FeederEntry"];
export type Credentials = Schemas["FeederCredentials"];

const KINDS: Record<Feeder["state"], string> = { connected: "good", silent: "warning", absent: "", disabled: "" };

export const REFRESH_MS = 5000;

/** How a feeder is, as a mark. */
export function stateTag({ state }: Feeder): TemplateResult {
  return html`<span class="tag ${KINDS[state]}">${word("feeder_state", state)}</span>`;
}

export function isManager(): boolean {
  return session.can("feeders.manage");
}

/** Whether this person may change a feeder: its owner, or who manages feeders. */
export function mayChange({ owner }: Feeder): boolean {
  return isManager() || (session.can("feeders.own") && owner !== null && owner.id === session.user.value?.id);
}

/** The clock of its receiver in words. */
export function clockName({ clock }: Feeder): string {
  return clock === null ? "–" : word("feeder_clock", clock);
}
