// The live map: ground below, aircraft above, and the reader's hand on both.
import { html, nothing, type TemplateResult } from "lit";
import OlMap from "ol/Map";
import OlView from "ol/View";
import { defaults as interactions } from "ol/interaction/defaults";
import { boundingExtent } from "ol/extent";
import { fromLonLat, toLonLat } from "ol/proj";
import type BaseLayer from "ol/layer/Base";
import { go, note, place } from "../core/address";
import { calm, dark, prefer, preferences } from "../core/preferences";
import { NOTHING, addressOf, isFurther, toggled } from "../core/selection";
import { View } from "../ui/view";
import { t } from "../i18n/i18n";
import { live } from "../live/live";
import type { Aircraft, Frame } from "../live/messages";
import { icon } from "../ui/icons";
import { baseMapChoices, baseMaps, chosenBaseMap, NO_BASE_MAP } from "./ground/base_maps";
import { Ground } from "./ground/ground";
import type { MapView } from "./planes/layer";
import { PageLayers, type PageLayer } from "./page_layers";
import { Rings } from "./rings";
import { Stage, type TrailPoint } from "./planes/stage";
import { Tiles } from "./ground/tiles";
import { Trails } from "./trails";
import { hoverCard } from "./hover";
import "./legend";

const CLICK_PX = 22;
const HOVER_PX = 14;
const START_ZOOM = 7.6;
const WIDE_PX = 2400;
const KEY_PAN_PX = 120;

export class MapElement extends View {
  static override properties = { pageLayers: { attribute: false } };
  /** The layers that belong to pages. */
  declare pageLayers: readonly PageLayer[];
  readonly map = new OlMap({ controls: [], interactions: interactions({ altShiftDragRotate: false, pinchRotate: false }) });
  private readonly ground = new Ground();
  private readonly rings = new Rings();
  private readonly tiles = new Tiles();
  private readonly layersOnPages = new PageLayers(this.map);
  private readonly trails = new Trails((trail) => this.stage.setTrails(trail));
  private readonly stage = new Stage((kind) => (this.dataset.renderer = kind));
  private hovered: Aircraft | null = null;
  private hoverAt: [number, number] = [0, 0];
  private stops: (() => void)[] = [];
  private isPlaced = false;
  /** What the map last drew; with padding that is not what its view says. */
  private drawn: { center: number[]; resolution: number } | null = null;
  private isFollowing = false;
  private isChoosing = false;
  private areTrailsLent = false;
  private noteTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.pageLayers = [];
    this.watch(live.selected, place, preferences, this.tiles.source, this.tiles.failure);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const frame = (news: Frame): void => this.takeFrame(news);
    live.framed.add(frame);
    if (live.lastFrame) frame(live.lastFrame);
    this.stops = [
      () => live.framed.delete(frame),
      dark.subscribe(() => this.applyLook()),
      preferences.subscribe(() => this.applyLook()),
      live.station.subscribe(() => this.placeFirst()),
      live.selected.subscribe((aircraft) => this.followSelected(aircraft)),
      live.also.subscribe(() => live.selected.value || this.followTrails()),
      place.subscribe(() => this.takePlace()),
    ];
    const wake = (): void => this.stage.draw();
    document.addEventListener("visibilitychange", wake);
    this.stops.push(() => document.removeEventListener("visibilitychange", wake));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.stops) stop();
    removeEventListener("resize", this.keepClear);
    this.map.setTarget(undefined);
  }

  protected override firstUpdated(): void {
    const target = this.querySelector<HTMLElement>(".map-target")!;
    for (const layer of [...this.tiles.layers, ...this.ground.layers]) this.map.addLayer(layer);
    // Rings and their names take longer to draw than all aircraft, which come first.
    this.map.once("postrender", () => this.map.addLayer(this.rings.layer));
    this.map.setView(new OlView({ center: fromLonLat([8.5, 47.5]), zoom: 5, minZoom: 1.6, maxZoom: 17, enableRotation: false, multiWorld: true }));
    this.map.setTarget(target);
    target.append(this.stage.element);
    this.map.on("postrender", ({ frameState }) => {
      if (frameState) this.drawn = frameState.viewState;
      this.followMap();
    });
    addEventListener("resize", this.keepClear);
    this.map.on("moveend", ({ frameState }) => {
      if (frameState) this.drawn = frameState.viewState;
      this.settled();
    });
    this.map.on("click", ({ pixel, originalEvent }) => void this.choose(pixel as [number, number], isFurther(originalEvent as MouseEvent)));
    this.map.on("pointermove", ({ pixel, dragging }) => void this.hover(pixel as [number, number], dragging));
    this.map.on("pointerdrag", () => (this.isFollowing = false));
    target.addEventListener("pointerleave", () => this.setHovered(null));
    this.applyLook();
    this.takePlace();
    this.placeFirst();
    void document.fonts.ready.then(() => this.applyLook());
  }

  /** Layers that pages draw on the map while they are open, besides those that belong to them. */
  addLayer(layer: BaseLayer): void {
    this.map.addLayer(layer);
  }

  removeLayer(layer: BaseLayer): void {
    this.map.removeLayer(layer);
  }

  private applyLook(): void {
    const { rings, airports } = preferences.value;
    this.ground.colour(dark.value);
    this.ground.showAirports(airports);
    this.rings.show(live.station.value, rings, dark.value);
    this.stage.look(dark.value, calm.matches);
    this.trails.recolour();
    this.keepClear();
    this.followMap();
  }

  /** On a phone the sheet covers the lower part: what is in the middle is to be in the middle of what is seen. */
  private readonly keepClear = (): void => {
    const covered = innerWidth <= 820 && preferences.value.listOpen ? this.clientHeight * 0.46 : 0;
    const view = this.map.getView();
    if ((view.padding?.[2] ?? 0) !== covered) view.padding = [0, 0, covered, 0];
  };

  /** The first view: what the address says, else around the station. */
  private placeFirst(): void {
    this.rings.show(live.station.value, preferences.value.rings, dark.value);
    if (this.isPlaced || !this.map.getView() || place.value.query.at) return;
    const station = live.station.value;
    if (!station) return;
    this.isPlaced = true;
    this.map.getView().setCenter(fromLonLat([station.lon, station.lat]));
    this.map.getView().setZoom(this.startZoom);
  }

  /** The surroundings of the station fill a phone as they fill a wall. */
  private get startZoom(): number {
    if (this.clientWidth < 600) return START_ZOOM - 1;
    return this.clientWidth > WIDE_PX ? START_ZOOM + 1 : START_ZOOM;
  }

  private takePlace(): void {
    void this.layersOnPages.follow(place.value.page, this.pageLayers);
    this.takeAddress();
  }

  private takeAddress(): void {
    const { at } = place.value.query;
    if (!at || this.isPlaced) return;
    const [lat, lon, zoom] = at.split(",").map(Number);
    if (![lat, lon, zoom].every(Number.isFinite)) return;
    this.isPlaced = true;
    this.map.getView().setCenter(fromLonLat([lon, Math.max(-85, Math.min(85, lat))]));
    this.map.getView().setZoom(zoom);
  }

  private get mapView(): MapView | null {
    const size = this.map.getSize();
    if (!size || !size[0] || !size[1] || !this.drawn) return null;
    const { center: centre, resolution } = this.drawn;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    return { x: centre[0], y: centre[1], resolution, width: size[0], height: size[1], ratio };
  }

  private followMap(): void {
    const view = this.mapView;
    if (view) this.stage.setView(view);
  }

  private settled(): void {
    const view = this.mapView;
    if (!view) return;
    live.send({ type: "view", view });
    void this.ground.need(this.map.getView().getZoom() ?? 5);
    clearTimeout(this.noteTimer);
    if (place.value.page !== "map" || !this.isPlaced) return;
    this.noteTimer = setTimeout(() => {
      const [lon, lat] = toLonLat([view.x, view.y]);
      if (place.value.page === "map") note({ at: `${lat.toFixed(4)},${lon.toFixed(4)},${(this.map.getView().getZoom() ?? 0).toFixed(1)}` });
    }, 400);
  }

  private takeFrame(news: Frame): void {
    const data = new Float32Array(news.data);
    this.stage.take({ ...news, data, bits: new Uint32Array(news.data) });
  }

  private followTrails(): void {
    if (this.areTrailsLent) return;
    const { hex, also } = live.selection;
    this.trails.follow(hex === null ? [] : [hex, ...also], [live.selected.value, ...live.also.value]);
  }

  private followSelected(aircraft: Aircraft | null): void {
    this.followTrails();
    if (!this.isFollowing || !aircraft || typeof aircraft.lat !== "number") return;
    this.map.getView().animate({ center: fromLonLat([aircraft.lon as number, aircraft.lat]), duration: calm.matches ? 0 : 900, easing: (x) => x });
  }

  private async pickAt([px, py]: [number, number], radius: number): Promise<Aircraft | null> {
    const view = this.mapView;
    if (!view) return null;
    const x = view.x + (px - view.width / 2) * view.resolution;
    const y = view.y - (py - view.height / 2) * view.resolution;
    return live.pick(x, y, radius * view.resolution);
  }

  private async choose(pixel: [number, number], further: boolean): Promise<void> {
    if (place.value.page !== "map") return;
    const aircraft = await this.pickAt(pixel, CLICK_PX);
    this.isFollowing = false;
    if (!further) note(addressOf({ hex: aircraft?.hex ?? null, also: [] }));
    else if (aircraft) note(addressOf(toggled(live.selection, aircraft.hex)));
  }

  private async hover(pixel: [number, number], dragging: boolean): Promise<void> {
    if (dragging) return this.setHovered(null);
    this.hoverAt = pixel;
    this.setHovered(await this.pickAt(pixel, HOVER_PX));
  }

  private setHovered(aircraft: Aircraft | null): void {
    if (!aircraft && !this.hovered) return;
    this.hovered = aircraft;
    this.querySelector<HTMLElement>(".map-target")!.classList.toggle("over-aircraft", aircraft !== null);
    this.requestUpdate();
  }

  /** Bring an aircraft to the middle, and keep it there until the map is moved by hand. */
  follow(): void {
    this.isFollowing = true;
    this.followSelected(live.selected.value);
  }

  zoom(step: number): void {
    const view = this.map.getView();
    view.animate({ zoom: (view.getZoom() ?? 5) + step, duration: calm.matches ? 0 : 180 });
  }

  home(): void {
    const station = live.station.value;
    if (!station) return;
    this.isFollowing = false;
    this.map.getView().animate({ center: fromLonLat([station.lon, station.lat]), zoom: this.startZoom, duration: calm.matches ? 0 : 400 });
  }

  private key(event: KeyboardEvent): void {
    const view = this.map.getView();
    const resolution = view.getResolution() ?? 1;
    const centre = view.getCenter() ?? [0, 0];
    const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (move) view.setCenter([centre[0] + move[0] * KEY_PAN_PX * resolution, centre[1] + move[1] * KEY_PAN_PX * resolution]);
    else if (event.key === "+" || event.key === "=") this.zoom(0.7);
    else if (event.key === "-") this.zoom(-0.7);
    else if (event.key === "Escape" && live.selectedHex.value) note(addressOf(NOTHING));
    else return;
    this.isFollowing = false;
    event.preventDefault();
  }

  protected override render(): TemplateResult {
    return html`
      <div class="map-target" tabindex="0" role="application" aria-label=${t("map.label")} aria-describedby="map-help" @keydown=${this.key}></div>
      <p id="map-help" class="visually-hidden">${t("map.help")}</p>
      <div class="map-buttons" role="group" aria-label=${t("map.controls")}>
        <button class="tool" @click=${() => this.zoom(1)} title=${t("map.zoom_in")} aria-label=${t("map.zoom_in")}>${icon("plus")}</button>
        <button class="tool" @click=${() => this.zoom(-1)} title=${t("map.zoom_out")} aria-label=${t("map.zoom_out")}>${icon("minus")}</button>
        <button class="tool" @click=${this.home} title=${t("map.home")} aria-label=${t("map.home")}>${icon("home")}</button>
        <button class="tool" @click=${this.layers} title=${t("map.layers")} aria-label=${t("map.layers")} aria-expanded=${baseMaps.length ? this.isChoosing : nothing}>${icon("layers")}</button>
        <button class="tool list-button" ?hidden=${place.value.page !== "map"} aria-pressed=${preferences.value.listOpen} @click=${() => prefer({ listOpen: !preferences.value.listOpen })} title=${t("list.toggle")} aria-label=${t("list.toggle")}>${icon("list")}</button>
      </div>
      ${this.isChoosing ? this.chooser() : null}
      <sw-legend></sw-legend>
      ${this.renderSource()}
      ${this.hovered && this.hovered.hex !== live.selectedHex.value ? hoverCard(this.hovered, this.hoverAt, this.clientWidth) : null}
    `;
  }

  /** Base maps are chosen here; without any, the button leads to what else the map shows. */
  private layers(): void {
    if (!baseMaps.length) return go("settings");
    this.isChoosing = !this.isChoosing;
    this.requestUpdate();
  }

  private chooser(): TemplateResult {
    const chosen = chosenBaseMap()?.name ?? NO_BASE_MAP;
    return html`<fieldset class="base-maps" @keydown=${(event: KeyboardEvent) => event.key === "Escape" && this.layers()}><legend>${t("map.base_map")}</legend>
      ${baseMapChoices().map(([value, title]) => html`<label class="check"><input type="radio" name="base-map" .checked=${value === chosen} @change=${() => prefer({ baseMap: value })} /> ${title}</label>`)}
      <a href="#/settings">${t("map.layers")}</a>
    </fieldset>`;
  }

  /** Where the tiles are from, which most licences ask for. */
  private renderSource(): TemplateResult | null {
    const { text, address } = this.tiles.source.value;
    const failure = this.tiles.failure.value;
    if (failure) return html`<p class="map-source">${t(failure)}</p>`;
    if (!text) return null;
    return html`<p class="map-source">${address ? html`<a href=${address} target="_blank" rel="noopener noreferrer">${text}</a>` : text}</p>`;
  }

  /** Let a page draw the trails instead of those of the selected aircraft, or end that. */
  lendTrails(areLent: boolean): void {
    this.areTrailsLent = areLent;
  }

  setTrail(trail: TrailPoint[][]): void {
    this.stage.setTrails(trail);
  }

  hideAircraft(hidden: boolean): void {
    this.stage.element.hidden = hidden;
  }

  /** Show all of some points of the map. */
  fit(points: number[][]): void {
    this.isFollowing = false;
    this.map.getView().fit(boundingExtent(points), { padding: [50, 50, 50, 50], maxZoom: 12, duration: calm.matches ? 0 : 300 });
  }
}

customElements.define("sw-map", MapElement);
