// A stored track as a file, in the formats of other programs.
import { html, type TemplateResult } from "lit";
import { t } from "../../i18n/i18n";
import { download } from "../../session/download";

const FORMATS = ["kml", "gpx", "csv", "geojson"];

export function exportLinks(id: number): TemplateResult {
  return html`<p class="exports">${t("history.download")}
    ${FORMATS.map((format) => html`<button class="plain link" @click=${() => void download("GET history/flights/{flight_id}/track", { path: { flight_id: id }, query: { format } }, `flight-${id}.${format}`)}>${format.toUpperCase()}</button>`)}</p>`;
}
