// Where the map looks: its first view, moves by button and key, and the selected aircraft, which nothing may cover.
import type OlMap from "ol/Map";
import OlView from "ol/View";
import { boundingExtent } from "ol/extent";
import { fromLonLat } from "ol/proj";
import { route } from "../core/address";
import type { KioskView } from "../core/kiosk";
import { mercatorX, mercatorY } from "../core/mercator";
import { calm, preferences } from "../core/preferences";
import { unwrap } from "../live/fleet";
import { live } from "../live/live";
import type { Aircraft } from "../live/messages";
import type { MapView } from "./planes/layer";
import { measuredInsets, shiftInto, type Insets } from "./visible";

const START_ZOOM = 7.6;
const PHONE_PX = 600;
const WIDE_PX = 2400;
/** From this width of the window on nothing lies over the lower part of the map. */
const SHEET_PX = 820;
const SHEET_SHARE = 0.46;
const KEY_PAN_PX = 120;
/** Room around what is brought into the visible part of the map. */
const MARGIN_PX = 50;
const MOVES: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

const lengthMs = (duration: number): number => (calm.matches ? 0 : duration);

export class Camera {
  private readonly view = new OlView({
    center: fromLonLat([8.5, 47.5]),
    zoom: 5,
    minZoom: 1.6,
    maxZoom: 17,
    enableRotation: false,
    multiWorld: true,
  });
  /** Whether the first view is found. */
  isPlaced = false;
  /** Whether the selected aircraft is kept in the middle. */
  isFollowing = false;
  /** What the map last drew; with padding that is not what its view says. */
  private drawn: { center: number[]; resolution: number } | null = null;
  /** The selected aircraft that was seen to lie in the visible part, or was brought there. */
  private uncovered: string | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly map: OlMap,
  ) {
    map.setView(this.view);
    map.on("pointerdrag", () => (this.isFollowing = false));
  }

  /** Note what the map has drawn. */
  note(drawn: { center: number[]; resolution: number } | undefined): void {
    if (drawn) this.drawn = drawn;
  }

  get zoomLevel(): number | undefined {
    return this.view.getZoom();
  }

  /** What is drawn; null while the map has no size. */
  get shown(): MapView | null {
    const size = this.map.getSize();
    if (!size || !size[0] || !size[1] || !this.drawn) return null;
    const { center: centre, resolution } = this.drawn;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    return { x: centre[0], y: centre[1], resolution, width: size[0], height: size[1], ratio };
  }

  /** On a phone the sheet covers the lower part: what is in the middle is to be in the middle of what is seen. */
  keepClear(): void {
    const isCovered = innerWidth <= SHEET_PX && preferences.value.listOpen;
    const covered = isCovered ? this.element.clientHeight * SHEET_SHARE : 0;
    if ((this.view.padding?.[2] ?? 0) !== covered) this.view.padding = [0, 0, covered, 0];
  }

  /** The first view: what the address says, else around the station. */
  placeFirst(): void {
    const station = live.station.value;
    if (this.isPlaced || !this.element.clientWidth || route.value.query.at || !station) return;
    this.showPlace({ ...station, zoom: this.startZoom });
  }

  takeAddress(): void {
    const { at } = route.value.query;
    if (!at || this.isPlaced || !this.element.clientWidth) return;
    const [lat, lon, zoom] = at.split(",").map(Number);
    if ([lat, lon, zoom].every(Number.isFinite)) this.showPlace({ lat: Math.max(-85, Math.min(85, lat)), lon, zoom });
  }

  /** The surroundings of the station fill a phone as they fill a wall. */
  private get startZoom(): number {
    const { clientWidth } = this.element;
    if (clientWidth < PHONE_PX) return START_ZOOM - 1;
    return clientWidth > WIDE_PX ? START_ZOOM + 1 : START_ZOOM;
  }

  /** Show a place at once, without a way there. */
  showPlace({ lat, lon, zoom }: Omit<KioskView, "name" | "seconds">): void {
    this.isPlaced = true;
    this.isFollowing = false;
    this.view.setCenter(fromLonLat([lon, lat]));
    this.view.setZoom(zoom);
  }

  zoom(step: number): void {
    this.view.animate({ zoom: (this.view.getZoom() ?? 5) + step, duration: lengthMs(180) });
  }

  home(): void {
    const station = live.station.value;
    if (!station) return;
    this.isFollowing = false;
    const center = fromLonLat([station.lon, station.lat]);
    this.view.animate({ center, zoom: this.startZoom, duration: lengthMs(400) });
  }

  /** Move or zoom by a key; whether it is one of those that do. */
  key(key: string): boolean {
    const move = MOVES[key];
    const [x, y] = this.view.getCenter() ?? [0, 0];
    const step = KEY_PAN_PX * (this.view.getResolution() ?? 1);
    if (move) this.view.setCenter([x + move[0] * step, y + move[1] * step]);
    else if (key === "+" || key === "=") this.zoom(0.7);
    else if (key === "-") this.zoom(-0.7);
    else return false;
    this.isFollowing = false;
    return true;
  }

  /** Take the position of the selected aircraft: keep it in the middle, or see once that nothing covers it. */
  takeSelected(aircraft: Aircraft | null): void {
    if (!live.selectedHex.value) this.uncovered = null;
    if (!aircraft || typeof aircraft.lat !== "number") return;
    if (this.isFollowing) this.centreOn(aircraft);
    else if (this.uncovered !== aircraft.hex) {
      this.uncovered = aircraft.hex;
      // The panel opens with the selection: what it covers is known once it is laid out.
      requestAnimationFrame(() => requestAnimationFrame(() => this.uncover(aircraft)));
    }
  }

  /** Bring an aircraft to the middle, and keep it there until the map is moved by hand. */
  follow(): void {
    this.isFollowing = true;
    this.takeSelected(live.selected.value);
  }

  /** Bring an aircraft into the visible part, wherever it is, without following it. */
  show(aircraft: Aircraft): void {
    this.isFollowing = false;
    this.uncovered = aircraft.hex;
    if (typeof aircraft.lat === "number") this.centreOn(aircraft);
  }

  /** Show all of some points of the map in the part that nothing lies over. */
  fit(points: number[][]): void {
    this.isFollowing = false;
    this.isPlaced = true;
    const padding = this.insetsBeyondPadding().map((inset) => inset + MARGIN_PX);
    this.view.fit(boundingExtent(points), { padding, maxZoom: 12, duration: lengthMs(300) });
  }

  private centreOn(aircraft: Aircraft): void {
    const resolution = this.view.getResolution() ?? 1;
    const [top, right, bottom, left] = this.insetsBeyondPadding();
    const [x, y] = fromLonLat([aircraft.lon as number, aircraft.lat as number]);
    const center = [x + ((right - left) / 2) * resolution, y + ((top - bottom) / 2) * resolution];
    this.view.animate({ center, duration: lengthMs(900), easing: (at) => at });
  }

  /** Move the map as far as it takes to see an aircraft that lies under the panel or the list; one beyond the edge stays there. */
  private uncover(aircraft: Aircraft): void {
    const view = this.shown;
    if (!view || route.value.page !== "map" || live.selectedHex.value !== aircraft.hex) return;
    const x = (unwrap(mercatorX(aircraft.lon as number), view.x) - view.x) / view.resolution + view.width / 2;
    const y = view.height / 2 - (mercatorY(aircraft.lat as number) - view.y) / view.resolution;
    if (x < 0 || y < 0 || x > view.width || y > view.height) return;
    const [dx, dy] = shiftInto([x, y], [view.width, view.height], measuredInsets(this.element), MARGIN_PX);
    // What lies at the very edge of what is seen may stay there.
    if (Math.abs(dx) < MARGIN_PX && Math.abs(dy) < MARGIN_PX) return;
    const [cx, cy] = this.view.getCenter() ?? [view.x, view.y];
    const center = [cx - dx * view.resolution, cy + dy * view.resolution];
    this.view.animate({ center, duration: lengthMs(300) });
  }

  /** What is covered beyond what the view itself leaves free. */
  private insetsBeyondPadding(): Insets {
    const padding = this.view.padding ?? [0, 0, 0, 0];
    return measuredInsets(this.element).map((inset, at) => Math.max(0, inset - padding[at])) as Insets;
  }
}
