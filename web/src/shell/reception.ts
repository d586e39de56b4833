// A card on the map for administrators: which receiver does not answer, since when, what is tried, and why.
import { html, nothing, type TemplateResult } from "lit";
import { Cell } from "../core/cell";
import { saidIn, t } from "../i18n/i18n";
import { silentOf, type ReceiverState } from "../live/reception";
import { call } from "../session/api";
import { session } from "../session/session";
import { clock } from "../ui/units";

/** The first look comes once what the map needs is here, the others are far apart unless a receiver is silent. */
const FIRST_MS = 3000;
const CALM_MS = 60_000;
const SILENT_MS = 10_000;

export const silent = new Cell<readonly ReceiverState[]>([]);

function mayLook(): boolean {
  return session.user.value?.permissions.includes("system.manage") ?? false;
}

/** Look again and again, while an administrator has the page before them. */
export function watchReception(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    if (!mayLook()) return silent.set([]);
    if (document.visibilityState === "visible") {
      try {
        const { receivers } = await call("GET system/receivers");
        silent.set(silentOf(receivers));
      } catch (error) {
        // The banner of the page says that the service does not answer.
        console.debug("The receivers cannot be asked for:", error);
      }
    }
    timer = setTimeout(() => void look(), silent.value.length ? SILENT_MS : CALM_MS);
  };
  const begin = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), FIRST_MS);
  };
  session.user.subscribe(begin);
  document.addEventListener("visibilitychange", begin);
  begin();
}

export function receptionCard(): TemplateResult | typeof nothing {
  if (!silent.value.length) return nothing;
  return html`<div class="simulated silent" role="status">
    <div>
      ${silent.value.map(
        (one) => html`<p><strong>${t("reception.silent", { name: one.name })}</strong> ${saidIn(one, "last_error")}.
          <small>${one.since ? t("reception.since", { time: clock(one.since) }) : nothing} ${t("reception.tried", { kind: one.kind, address: one.address ?? "", n: one.reconnects + 1 })}</small></p>`,
      )}
      <p><a href="console/receivers">${t("reception.open")}</a></p>
    </div>
  </div>`;
}
