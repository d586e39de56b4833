// What pages say of a simulated sky: a card on the map of an installation without a receiver, which who has dismissed it does
// not see again, and a line above figures.
import { html, nothing, type TemplateResult } from "lit";
import { prefer, preferences } from "../core/preferences";
import { t } from "../i18n/i18n";
import { simulated } from "../live/simulated";
import { session } from "../session/session";
import { icon } from "../ui/icons";

export function simulatedCard(): TemplateResult | typeof nothing {
  if (!simulated.value || preferences.value.simulatedDismissed) return nothing;
  // The console's pages need an administrator; the sign-in says how the first one is created.
  const address = session.config.value?.setup_required ? "#/login" : "console/station?step=2";
  return html`<div class="simulated" role="note">
    <p>${t("simulated.text")} <a href=${address}>${t("simulated.link")}</a></p>
    <button class="plain" @click=${() => prefer({ simulatedDismissed: true })} aria-label=${t("close")}>${icon("close")}</button>
  </div>`;
}

/** The line above figures that are of simulated aircraft. */
export function simulatedSky(isSimulated: boolean): TemplateResult | typeof nothing {
  if (!isSimulated) return nothing;
  return html`<p class="hint" role="note"><span class="tag">${t("simulated.tag")}</span> ${t("simulated.sky")}</p>`;
}
