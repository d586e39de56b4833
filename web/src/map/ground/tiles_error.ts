// Why real map tiles cannot be shown, as a text that the page has in every language.
import type { TextKey } from "../../i18n/i18n";

export class TilesError extends Error {
  constructor(readonly text: TextKey) {
    super(text);
  }
}
