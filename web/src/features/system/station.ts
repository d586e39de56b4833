// Where the antenna is, by a click on the map; the console's page, which it leads to, stores the place.
import Feature from "ol/Feature";
import Point from "ol/geom/Point";
import VectorLayer from "ol/layer/Vector";
import type MapBrowserEvent from "ol/MapBrowserEvent";
import { fromLonLat, toLonLat } from "ol/proj";
import VectorSource from "ol/source/Vector";
import { Circle, Fill, Stroke, Style } from "ol/style";
import { html, nothing, type TemplateResult } from "lit";
import { live } from "../../live/live";
import type { MapElement } from "../../map/map";
import { t } from "../../i18n/i18n";
import { View } from "../../ui/view";
import { consoleAddress, degrees, type Spot } from "./spot";

const COLOUR = "#e2871b";
const RADIUS_PX = 8;
const LOOK_MS = 300;

class StationPage extends View {
  private spot: Spot | null = null;
  private element: MapElement | null = null;
  private readonly source = new VectorSource();
  private readonly layer = new VectorLayer({
    source: this.source,
    zIndex: 6,
    style: new Style({
      image: new Circle({
        radius: RADIUS_PX,
        fill: new Fill({ color: COLOUR }),
        stroke: new Stroke({ color: "#fff", width: 2 }),
      }),
    }),
  });

  constructor() {
    super();
    this.watch(live.station);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.attach();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.element?.map.un("click", this.choose);
    this.element?.removeLayer(this.layer);
    this.element?.classList.remove("places-station");
    this.element = null;
  }

  /** The map may come after this page, which is smaller, and another one when somebody signs in. */
  private readonly attach = (): void => {
    if (!this.isConnected) return;
    setTimeout(this.attach, LOOK_MS);
    if (this.element?.isConnected) return;
    this.element = document.querySelector<MapElement>("sw-map");
    this.element?.addLayer(this.layer);
    this.element?.map.on("click", this.choose);
    this.element?.classList.add("places-station");
  };

  private readonly choose = ({ coordinate }: MapBrowserEvent): void => {
    const [lon, lat] = toLonLat(coordinate);
    this.put({ lat, lon });
  };

  /** For those who move the map by its keys: the place in its middle. */
  private readonly chooseMiddle = (): void => {
    const [lon, lat] = toLonLat(this.element?.map.getView().getCenter() ?? [0, 0]);
    this.put({ lat, lon });
  };

  private put(spot: Spot): void {
    this.spot = spot;
    this.source.clear(true);
    this.source.addFeature(new Feature(new Point(fromLonLat([spot.lon, spot.lat]))));
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const spot = this.spot ?? live.station.value;
    return html`<div class="sheet">
      <h1>${t("station.title")}</h1>
      <p>${t("station.text")}</p>
      <p role="status">${spot ? t(this.spot ? "station.chosen" : "station.present", { place: degrees(spot) }) : t("station.none")}</p>
      <p class="bar">${this.spot ? html`<a class="button primary" href=${consoleAddress(this.spot)}>${t("station.use")}</a> ` : nothing}
        <button @click=${this.chooseMiddle}>${t("station.middle")}</button></p>
    </div>`;
  }
}

customElements.define("sw-station", StationPage);
