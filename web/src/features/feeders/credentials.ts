// The UUID of a feeder and the lines for its program, which are shown once.
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";
import { copyText } from "../../ui/copy";
import type { Credentials } from "./types";

const PROGRAMS = ["readsb", "ultrafeeder", "socat"] as const;

/** Everything that a person needs to make a program feed, and the button that puts it away. */
export function credentialBox({ name, uuid, lines }: Credentials, close: () => void): TemplateResult {
  return html`<section class="section feeder-credentials" role="status" aria-label=${t("feeders.connect", { name })}>
    <h2>${t("feeders.connect", { name })}</h2>
    <p>${t("feeders.once")}</p>
    ${line("UUID", "", uuid)}
    ${lines ? PROGRAMS.map((program) => line(program, t(`feeders.line_${program}`), lines[program])) : html`<p class="error">${t("feeders.no_listener")}</p>`}
    <div class="bar"><button @click=${close}>${t("feeders.noted")}</button></div>
  </section>`;
}

function line(title: string, hint: string, text: string): TemplateResult {
  return html`<div class="feeder-line"><h3>${title}</h3>${hint ? html`<p class="hint">${hint}</p>` : nothing}
    <div class="feeder-copy"><code class="secret">${text}</code>
      <button @click=${(event: Event) => void copyText(text, (event.currentTarget as HTMLElement).previousElementSibling!)} aria-label=${t("feeders.copy_what", { what: title })}>${t("feeders.copy")}</button></div></div>`;
}
