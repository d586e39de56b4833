// The live map: ground below, aircraft above, and the reader's hand on both.
import { html, type TemplateResult } from "lit";
import type Feature from "ol/Feature";
import OlMap from "ol/Map";
import { defaults as interactions } from "ol/interaction/defaults";
import { toLonLat } from "ol/proj";
import type BaseLayer from "ol/layer/Base";
import { note, route } from "../core/address";
import { kiosk, type KioskView } from "../core/kiosk";
import { calm, dark, prefer, preferences } from "../core/preferences";
import { NOTHING, addressOf, isFurther, toggled } from "../core/selection";
import { View } from "../ui/view";
import { t } from "../i18n/i18n";
import { mercatorX, mercatorY } from "../core/mercator";
import { live } from "../live/live";
import { session } from "../session/session";
import type { Aircraft, Frame } from "../live/messages";
import { icon } from "../ui/icons";
import { Camera } from "./camera";
import { Ground } from "./ground/ground";
import type { Place } from "./ground/places";
import { Overlays } from "./overlays/overlays";
import { overlayFailures, weatherSource } from "./overlays/sources";
import { PageLayers, type PageLayer } from "./page_layers";
import { Rings } from "./rings";
import { Stage } from "./planes/stage";
import { Tiles } from "./ground/tiles";
import { lentTrails, measuring, wantedView } from "./lent";
import { Trails } from "./trails";
import { Dismiss } from "../ui/dismiss";
import { airportClick } from "./airport_click";
import { airportCard, hoverCard } from "./hover";
import "./legend";

const CLICK_PX = 22;
const HOVER_PX = 14;

export class MapElement extends View {
  static override properties = { pageLayers: { attribute: false } };
  /** The layers that belong to pages. */
  declare pageLayers: readonly PageLayer[];
  readonly map = new OlMap({
    controls: [],
    interactions: interactions({ altShiftDragRotate: false, pinchRotate: false }),
  });
  private readonly camera = new Camera(this, this.map);
  private readonly ground = new Ground();
  private readonly rings = new Rings();
  private readonly tiles = new Tiles();
  private readonly layersOnPages = new PageLayers(this.map);
  private readonly overlays = new Overlays(this.map);
  private readonly trails = new Trails((trail) => lentTrails.value ?? this.stage.setTrails(trail));
  private readonly stage = new Stage((kind) => (this.dataset.renderer = kind));
  private hovered: Aircraft | null = null;
  private hoveredAirport: Feature | null = null;
  private hoverAt: [number, number] = [0, 0];
  private stops: (() => void)[] = [];
  private isChoosing = false;
  private noteTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.pageLayers = [];
    this.watch(
      live.selected,
      route,
      preferences,
      this.tiles.source,
      this.tiles.failure,
      weatherSource,
      overlayFailures,
    );
    new Dismiss(
      this,
      "sw-layers, .layers-button",
      ".layers-button",
      () => this.isChoosing,
      () => this.layers(),
    );
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
      session.config.subscribe(() => this.overlays.follow()),
      session.user.subscribe(() => this.overlays.follow()),
      live.station.subscribe(() => {
        this.overlays.follow();
        this.placeFirst();
      }),
      live.selected.subscribe((aircraft) => this.followSelected(aircraft)),
      live.also.subscribe(() => live.selected.value || this.followTrails()),
      route.subscribe(() => this.takePlace()),
      lentTrails.subscribe(() => this.takeTrails()),
      wantedView.subscribe(() => this.takeView()),
    ];
    const wake = (): void => this.stage.draw();
    document.addEventListener("visibilitychange", wake);
    this.stops.push(() => document.removeEventListener("visibilitychange", wake));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.stops) stop();
    this.resized.disconnect();
    this.overlays.stop();
    this.map.setTarget(undefined);
  }

  protected override firstUpdated(): void {
    const target = this.querySelector<HTMLElement>(".map-target")!;
    for (const layer of [...this.tiles.layers, ...this.ground.layers]) this.map.addLayer(layer);
    // Rings and their names take longer to draw than all aircraft, which come first.
    this.map.once("postrender", () => this.map.addLayer(this.rings.layer));
    this.map.setTarget(target);
    target.append(this.stage.element);
    this.map.on("postrender", ({ frameState }) => {
      this.camera.note(frameState?.viewState);
      this.followMap();
    });
    this.resized.observe(this);
    this.map.on("moveend", ({ frameState }) => {
      this.camera.note(frameState?.viewState);
      this.settled();
    });
    this.map.on(
      "click",
      ({ pixel, originalEvent }) => void this.choose(pixel as [number, number], isFurther(originalEvent as MouseEvent)),
    );
    this.map.on("pointermove", ({ pixel, dragging }) => void this.hover(pixel as [number, number], dragging));
    target.addEventListener("pointerleave", () => this.setHovered(null));
    this.applyLook();
    this.takePlace();
    this.placeFirst();
    this.takeTrails();
    this.map.once("postrender", () => this.takeView());
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
    this.overlays.follow();
    this.stage.look(dark.value, calm.matches);
    this.trails.recolour();
    this.camera.keepClear();
    this.followMap();
  }

  /** After a sign-in the map is made behind the form, where it has no size: it is placed once it is seen. */
  private readonly resized = new ResizeObserver(() => {
    this.camera.keepClear();
    this.camera.takeAddress();
    this.placeFirst();
  });

  private placeFirst(): void {
    this.rings.show(live.station.value, preferences.value.rings, dark.value);
    this.camera.placeFirst();
  }

  private takePlace(): void {
    void this.layersOnPages.follow(route.value.page, this.pageLayers);
    this.camera.takeAddress();
  }

  private followMap(): void {
    const view = this.camera.shown;
    if (view) this.stage.setView(view);
  }

  private settled(): void {
    const view = this.camera.shown;
    if (!view) return;
    live.send({ type: "view", view });
    const [across, up] = [(view.width / 2) * view.resolution, (view.height / 2) * view.resolution];
    void this.ground.need(this.camera.zoomLevel ?? 5, [view.x - across, view.y - up, view.x + across, view.y + up]);
    clearTimeout(this.noteTimer);
    if (kiosk || route.value.page !== "map" || !this.camera.isPlaced) return;
    this.noteTimer = setTimeout(() => {
      const [lon, lat] = toLonLat([view.x, view.y]);
      if (route.value.page === "map")
        note({ at: `${lat.toFixed(4)},${lon.toFixed(4)},${(this.camera.zoomLevel ?? 0).toFixed(1)}` });
    }, 400);
  }

  private takeFrame(news: Frame): void {
    const data = new Float32Array(news.data);
    this.stage.takeTrails(news.trails);
    this.stage.take({ ...news, data, bits: new Uint32Array(news.data) });
    // After the frame in which they are drawn.
    if (news.count) requestAnimationFrame(() => this.ground.begin());
  }

  private takeTrails(): void {
    this.stage.setTrails(lentTrails.value ?? []);
    this.followTrails();
  }

  private takeView(): void {
    const points = wantedView.value;
    if (!points || !this.camera.shown) return;
    wantedView.set(null);
    this.fit(points);
  }

  private followTrails(): void {
    if (lentTrails.value) return;
    const { hex, also } = live.selection;
    this.trails.follow(hex === null ? [] : [hex, ...also], [live.selected.value, ...live.also.value]);
  }

  private followSelected(aircraft: Aircraft | null): void {
    this.followTrails();
    this.camera.takeSelected(aircraft);
  }

  private async pickAt([px, py]: [number, number], radius: number): Promise<Aircraft | null> {
    const view = this.camera.shown;
    if (!view) return null;
    const x = view.x + (px - view.width / 2) * view.resolution;
    const y = view.y - (py - view.height / 2) * view.resolution;
    return live.pick(x, y, radius * view.resolution);
  }

  private async choose(pixel: [number, number], further: boolean): Promise<void> {
    if (route.value.page !== "map" || measuring.value) return;
    const aircraft = await this.pickAt(pixel, CLICK_PX);
    const airport = aircraft || further ? null : this.airportAt(pixel);
    if (airport && airportClick.open?.(String(airport.get("icao")))) return;
    this.camera.isFollowing = false;
    if (!further) note(addressOf({ hex: aircraft?.hex ?? null, also: [] }));
    else if (aircraft) note(addressOf(toggled(live.selection, aircraft.hex)));
  }

  private async hover(pixel: [number, number], dragging: boolean): Promise<void> {
    if (dragging) return this.setHovered(null);
    this.hoverAt = pixel;
    const aircraft = await this.pickAt(pixel, HOVER_PX);
    this.setHovered(aircraft, aircraft ? null : this.airportAt(pixel));
  }

  private airportAt(pixel: [number, number]): Feature | null {
    const view = this.camera.shown;
    const place = this.map.getCoordinateFromPixel(pixel) as number[] | null;
    return view && place ? this.ground.airportAt(place, HOVER_PX * view.resolution, view.resolution) : null;
  }

  private setHovered(aircraft: Aircraft | null, airport: Feature | null = null): void {
    if (!aircraft && !this.hovered && airport === this.hoveredAirport) return;
    this.hovered = aircraft;
    this.hoveredAirport = airport;
    this.querySelector<HTMLElement>(".map-target")!.classList.toggle("over-aircraft", aircraft !== null);
    this.requestUpdate();
  }

  /** Bring an aircraft to the middle, and keep it there until the map is moved by hand. */
  follow(): void {
    this.camera.follow();
  }

  /** Bring an aircraft into the visible part, wherever it is, without following it. */
  show(aircraft: Aircraft): void {
    this.camera.show(aircraft);
  }

  /** Show the tracks of all selected aircraft as wholes. */
  fitTracks(): void {
    const points = this.stage.trails.flat().map(({ x, y }) => [x, y]);
    for (const one of [live.selected.value, ...live.also.value])
      if (typeof one?.lat === "number") points.push([mercatorX(one.lon as number), mercatorY(one.lat)]);
    if (points.length) this.fit(points);
  }

  /** Show a place at once, without a way there. */
  showPlace(view: Omit<KioskView, "name" | "seconds">): void {
    this.camera.showPlace(view);
  }

  home(): void {
    this.camera.home();
  }

  /** Airports and towns with this name or code. */
  find(text: string): Promise<Place[]> {
    return this.ground.find(text);
  }

  zoom(step: number): void {
    this.camera.zoom(step);
  }

  /** Show all of some points of the map in the part that nothing lies over. */
  fit(points: number[][]): void {
    this.camera.fit(points);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape" && live.selectedHex.value) {
      this.camera.isFollowing = false;
      note(addressOf(NOTHING));
    } else if (!this.camera.key(event.key)) return;
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
        <button class="tool layers-button" @click=${this.layers} title=${t("map.layers")} aria-label=${t("map.layers")} aria-expanded=${this.isChoosing}>${icon("layers")}</button>
        <button class="tool list-button" ?hidden=${route.value.page !== "map"} aria-pressed=${preferences.value.listOpen} @click=${() => prefer({ listOpen: !preferences.value.listOpen })} title=${t("list.toggle")} aria-label=${t("list.toggle")}>${icon("list")}</button>
      </div>
      ${this.isChoosing ? html`<sw-layers></sw-layers>` : null}
      <sw-legend></sw-legend>
      ${this.renderSource()}
      ${this.hovered && this.hovered.hex !== live.selectedHex.value ? hoverCard(this.hovered, this.hoverAt, this.clientWidth) : null}
      ${this.hoveredAirport ? airportCard(this.hoveredAirport, this.hoverAt, this.clientWidth) : null}
    `;
  }

  /** What the map shows is chosen next to its buttons. */
  private layers(): void {
    void import("./overlays/panel");
    this.isChoosing = !this.isChoosing;
    this.requestUpdate();
  }

  /** Where the tiles are from, which most licences ask for. */
  private renderSource(): TemplateResult | null {
    const failures = [this.tiles.failure.value, ...overlayFailures.value].filter((one) => one !== null);
    const sources = [this.tiles.source.value, weatherSource.value].filter((one) => one?.text);
    if (!failures.length && !sources.length) return null;
    const named = sources.map((one) =>
      one!.address
        ? html`<a href=${one!.address} target="_blank" rel="noopener noreferrer">${one!.text}</a>`
        : one!.text,
    );
    return html`<p class="map-source">${[...failures.map((one) => t(one)), ...named].map((one, at) => (at ? html` · ${one}` : one))}</p>`;
  }

  hideAircraft(hidden: boolean): void {
    this.stage.element.hidden = hidden;
  }
}

customElements.define("sw-map", MapElement);
