// Puts a text where the person can paste it from, also where the page did not come over https.
import { t } from "../i18n/i18n";
import { inform } from "./announce";

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
