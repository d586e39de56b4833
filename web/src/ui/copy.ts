// Puts a text where the person can paste it from, also where the page did not come over https.
import { html, nothing, type TemplateResult } from "lit";
import { t } from "../i18n/i18n";
import { inform } from "./announce";

/** A key, a secret, a link or a line with its button; `title` says in a heading what it is, and `name` only to whoever hears it. */
export function copyLine(
  text: string,
  { title = "", name = title, hint = "" }: { title?: string; name?: string; hint?: string } = {},
): TemplateResult {
  return html`<div class="copy-line">${title ? html`<h3>${title}</h3>` : nothing}${hint ? html`<p class="hint">${hint}</p>` : nothing}
    <div><code class="secret">${text}</code>
      <button type="button" @click=${(event: Event) => void copyText(text, (event.currentTarget as HTMLElement).previousElementSibling!)} aria-label=${t("copy_what", { what: name })}>${t("copy")}</button></div></div>`;
}

/** Copy a text that stands in an element; where the browser does not let it, the text is selected for the person's own keys. */
export async function copyText(text: string, element: Element): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    inform(t("copied"));
  } catch {
    const selection = getSelection();
    selection?.selectAllChildren(element);
    // Browsers offer no clipboard to pages without TLS, and this instead.
    if (document.execCommand("copy")) inform(t("copied"));
    else inform(t("copy_selected"), "error");
  }
}
