// How the first administrator gets in, while there is none.
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";
import { session } from "../../session/session";

export function setupHint(): TemplateResult | typeof nothing {
  if (!session.config.value?.setup_required) return nothing;
  return html`<div class="setup-hint">
    <p>${t("setup.none")}</p>
    <p>${t("setup.link")} <code>skywatch setup-link FILE.ini</code></p>
    <p><a href="console/setup">${t("setup.typed")}</a></p>
  </div>`;
}
