// The UUID of a feeder and the lines for its program, which are shown once.
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";
import { copyLine } from "../../ui/copy";
import type { Credentials } from "./types";

const PROGRAMS = ["readsb", "ultrafeeder", "socat"] as const;

/**
 * Everything that a person needs to make a program feed, and the button that puts it away. `host` is what was entered in
 * place of the service's own name for itself.
 */
export function credentialBox(
  { name, uuid, lines }: Credentials,
  host: string | null,
  change: (host: string) => void,
  close: () => void,
): TemplateResult {
  const own = lines ? hostOf(lines.ultrafeeder) : "";
  const entered = host ?? own;
  return html`<section class="section feeder-credentials" role="status" aria-label=${t("feeders.connect", { name })}>
    <h2>${t("feeders.connect", { name })}</h2>
    <p>${t("feeders.once")}</p>
    ${copyLine(uuid, { title: "UUID" })}
    ${
      lines
        ? html`<label class="feeder-host"><span>${t("feeders.host")}</span><input .value=${entered} maxlength="253" autocomplete="off" autocapitalize="none" spellcheck="false" @input=${(event: Event) => change((event.target as HTMLInputElement).value.trim())} /></label>
          ${PROGRAMS.map((program) => copyLine(withHost(lines[program], own, entered || own), { title: program, hint: t(`feeders.line_${program}`) }))}`
        : html`<p class="error">${t("feeders.no_listener")}</p>`
    }
    <div class="bar"><button @click=${close}>${t("feeders.noted")}</button></div>
  </section>`;
}

/** Where nothing listens yet: what to do about it, for who can, with the line. */
export function silence(mayManage: boolean): TemplateResult {
  return html`<section class="section feeder-credentials"><h2>${t("feeders.silent_title")}</h2>
    <p>${t(mayManage ? "feeders.silent_manager" : "feeders.silent_others")}</p>
    ${mayManage ? copyLine("receiver.feeders = listen 0.0.0.0:30004", { name: "receiver.feeders" }) : nothing}</section>`;
}

/** The host in a line of ultrafeeder (`adsb,HOST,PORT,...`). */
function hostOf(line: string): string {
  return line.split(",")[1] ?? "";
}

/** A line with another host: before its port, after a comma or `=`, or as the address of a connection, an IPv6 one in brackets. */
export function withHost(line: string, own: string, host: string): string {
  if (host === own) return line;
  const bracketed = (name: string): string => (name.includes(":") ? `[${name}]` : name);
  return line
    .replace(`=${own},`, `=${host},`)
    .replace(`adsb,${own},`, `adsb,${host},`)
    .replace(`- TCP:${bracketed(own)}:`, `- TCP:${bracketed(host)}:`);
}
