// What stands on the page of Cannonball while the list of known aircraft is empty: why it matters, and where to import it.
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";
import { call } from "../../session/api";
import { session } from "../../session/session";
import { Task } from "../../session/task";

class ListOffer extends Task {
  private isEmpty = false;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.attemptRead(async () => {
      const { total } = await call("GET cannonball/known-aircraft/stats/");
      this.isEmpty = total === 0;
    });
  }

  protected override render(): TemplateResult | typeof nothing {
    return this.isEmpty ? html`<p class="hint">${t("cannonball.no_list")} ${importLink()}</p>` : nothing;
  }
}

/** The way to the console's page that imports a list, for those who may. */
export function importLink(): TemplateResult | typeof nothing {
  return session.can("cannonball.manage")
    ? html`<a href="console/known-aircraft/import">${t("known.import")}</a>`
    : nothing;
}

customElements.define("sw-list-offer", ListOffer);
