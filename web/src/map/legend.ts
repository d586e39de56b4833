// What the colours mean.
import { html, svg, type TemplateResult } from "lit";
import { dark, preferences } from "../core/preferences";
import { fromAviation, unit } from "../ui/units";
import { View } from "../ui/view";
import { number, t } from "../i18n/i18n";
import { LEGEND_FT, altitudeColour, css } from "../core/ramp";

const WIDTH = 270;
const TOP_FT = LEGEND_FT[LEGEND_FT.length - 1];

/** 30,000 as 30k: six numbers have to stand side by side. */
function short(feet: number): string {
  const value = fromAviation("altitude", feet);
  return value >= 1000 ? `${number(value / 1000, value % 1000 && value < 10_000 ? 1 : 0)}k` : number(value);
}

class Legend extends View {
  constructor() {
    super();
    this.watch(dark, preferences);
  }

  protected override render(): TemplateResult {
    const at = (feet: number): number => (feet / TOP_FT) * WIDTH;
    const stops = Array.from({ length: 44 }, (_, step) => (step / 43) * TOP_FT);
    return html`<figure class="legend" aria-label=${t("map.legend")}>
      <svg width=${WIDTH + 28} height="28" viewBox="-14 0 ${WIDTH + 28} 28" aria-hidden="true">
        <defs>
          <linearGradient id="ramp">
            ${stops.map((feet) => svg`<stop offset=${at(feet) / WIDTH} stop-color=${css(altitudeColour(feet, false, dark.value))} />`)}
          </linearGradient>
        </defs>
        <rect width=${WIDTH} height="6" rx="1" fill="url(#ramp)" />
        ${LEGEND_FT.map(
          (feet) => svg`<line x1=${at(feet)} x2=${at(feet)} y1="6" y2="10" stroke="currentColor" stroke-width="1" />
            <text x=${at(feet)} y="21" text-anchor="middle">${short(feet)}</text>`,
        )}
      </svg>
      <figcaption>${unit("altitude")}</figcaption>
    </figure>`;
  }
}

customElements.define("sw-legend", Legend);
