// Files of the service, fetched with the session's token: an address with a token in it could be passed on.
import { html, type TemplateResult } from "lit";
import { t } from "../i18n/i18n";
import { request } from "../session/api";
import { faultText } from "../session/fault";
import { inform } from "../shell/announce";

const FORMATS = ["kml", "gpx", "csv", "geojson"];

export async function download(path: string, query: Record<string, string>, name: string): Promise<void> {
  try {
    const body = await (await request(path, { query })).blob();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(body);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    inform(faultText(error), "error");
  }
}

export function exportLinks(id: number): TemplateResult {
  return html`<p class="exports">${t("history.download")}
    ${FORMATS.map((format) => html`<button class="plain link" @click=${() => void download(`history/flights/${id}/track`, { format }, `flight-${id}.${format}`)}>${format.toUpperCase()}</button>`)}</p>`;
}
