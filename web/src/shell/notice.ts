// The notice that is shown for a moment. It stands where it covers neither the panel, the legend nor rows (shell.css).
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../i18n/i18n";
import { dismiss, notice } from "../ui/announce";
import { icon } from "../ui/icons";
import { View } from "../ui/view";

/** News are said by the region for announcements, once each; the answer to what the person did is said by its own role. */
const ROLES = { info: "status", error: "alert", news: nothing } as const;

class NoticeElement extends View {
  constructor() {
    super();
    this.watch(notice);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { value } = notice;
    if (!value) return nothing;
    const { kind, text, href } = value;
    return html`<div class="notice ${kind}" role=${ROLES[kind]}>
      ${href ? html`<a href=${href} @click=${dismiss}>${text}</a>` : html`<span>${text}</span>`}
      <button class="plain" @click=${dismiss} aria-label=${t("close")}>${icon("close")}</button>
    </div>`;
  }
}

customElements.define("sw-notice", NoticeElement);
