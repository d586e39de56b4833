// The way to the console's page of networks for whoever may allow one, where a channel's address was not reached.
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../../../i18n/i18n";
import { enterConsole } from "../../../session/handover";
import { session } from "../../../session/session";

/** A line with a button that opens the page in a tab of its own, so that nothing of the form here is lost. */
export function networkOffer(address: string): TemplateResult | typeof nothing {
  const host = hostOf(address);
  if (!host || !session.can("system.manage")) return nothing;
  const page = new URL("console/channels/networks", document.baseURI);
  page.searchParams.set("host", host);
  const open = async (): Promise<void> => {
    // Where the console does not take this login its page says why.
    await enterConsole().catch(() => undefined);
    window.open(page, "_blank");
  };
  return html`<p class="notice-line">${t("channel.own_network", { host })} <button type="button" class="plain link" @click=${open}>${t("channel.allow_network")}</button></p>`;
}

/** The host that an address names; null where it names none. */
export function hostOf(address: string): string | null {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[0-9a-f:.]+\]|[^/?#:@\s]+)/i.exec(address.trim())?.[1];
  return host?.replace(/^\[|\]$/g, "") ?? null;
}
